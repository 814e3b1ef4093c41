import { type LiquidityPool, maxAmount, poolFee } from './entries.ts';
import { divideDown, divideUp, type Rounding } from './exchange.ts';
import { poolIdOf } from './ledger-asset.ts';
import type { LedgerState } from './ledger-state.ts';

const whole = 10_000n;
const kept = whole - BigInt(poolFee);

/** Amounts of one trade: what is given for what is got. */
export interface Trade {
  readonly send: bigint;
  readonly receive: bigint;
}

/**
 * What a pool would give and take (CAP-38): exactly `amount` is sent, or exactly `amount` received; the fee stays in
 * the pool and rounding favours it. `null` where the pool cannot.
 */
function tradeWith(reserveIn: bigint, reserveOut: bigint, amount: bigint, rounding: Rounding): Trade | null {
  if (reserveIn <= 0n || reserveOut <= 0n) return null;
  if (rounding === 'strict_send') {
    if (amount > maxAmount - reserveIn) return null;
    const receive = divideDown(kept * reserveOut * amount, whole * reserveIn + kept * amount);
    return receive === 0n ? null : { send: amount, receive };
  }
  if (amount >= reserveOut) return null;
  const send = divideUp(whole * reserveIn * amount, (reserveOut - amount) * kept);
  return send > maxAmount - reserveIn ? null : { send, receive: amount };
}

/** A trade with the pool of two assets, not yet made. */
export interface PoolTrade extends Trade {
  readonly pool: LiquidityPool;
}

/** Asks the pool of two assets; offers never trade with pools. */
export function poolTrade(
  state: LedgerState,
  from: string,
  to: string,
  limit: Trade,
  rounding: Rounding,
): PoolTrade | null {
  if (rounding === 'normal') return null;
  const pool = state.pools.get(poolIdOf(from, to));
  if (!pool) return null;
  const [reserveIn, reserveOut] =
    from === pool.assetA ? [pool.reserveA, pool.reserveB] : [pool.reserveB, pool.reserveA];
  const trade = tradeWith(reserveIn, reserveOut, rounding === 'strict_send' ? limit.send : limit.receive, rounding);
  return trade && { pool, ...trade };
}

/** Makes the trade. */
export function tradeWithPool(state: LedgerState, { pool, send, receive }: PoolTrade, from: string): void {
  const [intoA, intoB] = from === pool.assetA ? [send, -receive] : [-receive, send];
  state.pools.set(pool.id, { ...pool, reserveA: pool.reserveA + intoA, reserveB: pool.reserveB + intoB });
}
