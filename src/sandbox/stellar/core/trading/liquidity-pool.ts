import type { LiquidityPoolDepositOpWire } from '@stellar/stellar-sdk/xdr';
import { divideDown, divideUp } from '../../../../core/money.ts';
import { BrokenInvariant, type LiquidityPool, maxAmount, poolFee } from '../state/entries.ts';
import { isIssuer, lineKey, native, poolIdOf } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import type { Rounding } from './exchange.ts';

/** The two assets of a pool, in the protocol’s order. */
export interface PoolAssets {
  readonly assetA: string;
  readonly assetB: string;
}

/**
 * Changes the number of pools for which the account needs the trust line of `asset`. A trust line that a pool needs
 * cannot be deleted.
 */
export function changePoolUse(state: LedgerState, account: string, asset: string, delta: 1 | -1): void {
  if (asset === native || isIssuer(account, asset)) return;
  const key = lineKey(account, asset);
  const line = state.lines.get(key);
  if (!line || line.poolUses + delta < 0) throw new BrokenInvariant('asset trustline is missing');
  state.lines.set(key, { ...line, poolUses: line.poolUses + delta });
}

/** Counts a new pool share trust line. The first trust line creates the pool. */
export function joinPool(state: LedgerState, pool: PoolAssets): void {
  const id = poolIdOf(pool.assetA, pool.assetB);
  const empty = { id, ...pool, reserveA: 0n, reserveB: 0n, shares: 0n, trustlines: 0n, lastModified: 0 };
  const entry = state.pools.get(id) ?? empty;
  state.pools.set(id, { ...entry, trustlines: entry.trustlines + 1n });
}

/**
 * Counts a deleted pool share trust line, also in the trust lines of the pool’s assets. The last deletion deletes the
 * pool.
 */
export function leavePool(state: LedgerState, account: string, { assetA, assetB }: PoolAssets): void {
  changePoolUse(state, account, assetA, -1);
  changePoolUse(state, account, assetB, -1);
  const id = poolIdOf(assetA, assetB);
  const entry = state.pools.get(id);
  if (!entry || entry.trustlines < 1n) throw new BrokenInvariant('liquidity pool is missing');
  if (entry.trustlines === 1n) state.pools.delete(id);
  else state.pools.set(id, { ...entry, trustlines: entry.trustlines - 1n });
}

/** The part of a reserve that `amount` of all `shares` receives. The amount lost by rounding stays in the pool. */
export const shareOf = (amount: bigint, shares: bigint, reserve: bigint): bigint => (amount * reserve) / shares;

/** Amounts deposited in a pool, and the shares received. */
export interface PoolDeposit {
  readonly amountA: bigint;
  readonly amountB: bigint;
  readonly shares: bigint;
}

/**
 * The amounts of a deposit. The first deposit sets the price. Later deposits keep the pool’s price, rounded in its
 * favour.
 */
export function depositOf(pool: LiquidityPool, { maxAmountA, maxAmountB }: LiquidityPoolDepositOpWire): PoolDeposit {
  if (pool.shares === 0n) {
    return { amountA: maxAmountA, amountB: maxAmountB, shares: squareRoot(maxAmountA * maxAmountB) };
  }
  const sharesA = divideDown(pool.shares * maxAmountA, pool.reserveA);
  const sharesB = divideDown(pool.shares * maxAmountB, pool.reserveB);
  const shares = sharesA < sharesB ? sharesA : sharesB;
  return {
    amountA: divideUp(shares * pool.reserveA, pool.shares),
    amountB: divideUp(shares * pool.reserveB, pool.shares),
    shares,
  };
}

/** The square root of a non-negative number, rounded down (Newton’s method). */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

const basisPoints = 10_000n;
const afterFee = basisPoints - BigInt(poolFee);

/** Amounts that a taker sends and receives. */
export interface Trade {
  readonly send: bigint;
  readonly receive: bigint;
}

/**
 * A trade with a pool (CAP-38) that sends, or receives, exactly `amount`. The fee stays in the pool and rounding
 * favours the pool. `null` if the reserves do not suffice or would overflow, or if the taker would receive 0.
 */
function tradeWith(reserveIn: bigint, reserveOut: bigint, amount: bigint, rounding: Rounding): Trade | null {
  if (reserveIn <= 0n || reserveOut <= 0n) return null;
  if (rounding === 'strict_send') {
    if (amount > maxAmount - reserveIn) return null;
    const receive = divideDown(afterFee * reserveOut * amount, basisPoints * reserveIn + afterFee * amount);
    return receive === 0n ? null : { send: amount, receive };
  }
  if (amount >= reserveOut) return null;
  const send = divideUp(basisPoints * reserveIn * amount, (reserveOut - amount) * afterFee);
  return send > maxAmount - reserveIn ? null : { send, receive: amount };
}

/** A possible trade with a pool. */
export interface PoolTrade extends Trade {
  readonly pool: LiquidityPool;
}

/** The trade that the pool of two assets allows, or `null`. Offers (`normal` rounding) never trade with pools. */
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

export function tradeWithPool(state: LedgerState, { pool, send, receive }: PoolTrade, from: string): void {
  const [intoA, intoB] = from === pool.assetA ? [send, -receive] : [-receive, send];
  state.pools.set(pool.id, { ...pool, reserveA: pool.reserveA + intoA, reserveB: pool.reserveB + intoB });
}
