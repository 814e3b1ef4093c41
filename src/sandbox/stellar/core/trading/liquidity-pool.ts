import type { LiquidityPoolDepositOpWire } from '@stellar/stellar-sdk/xdr';
import { BrokenInvariant, type LiquidityPool, maxAmount, poolFee } from '../state/entries.ts';
import { isIssuer, native, poolIdOf } from '../state/identifiers.ts';
import { type LedgerState, lineKey } from '../state/ledger-state.ts';
import { divideDown, divideUp, type Rounding } from './exchange.ts';

/** What a pool is of, in order. */
export interface PoolAssets {
  readonly assetA: string;
  readonly assetB: string;
}

/** Counts the pools that a line’s asset is deposited in; such a line cannot be deleted. */
export function changePoolUse(state: LedgerState, account: string, asset: string, delta: 1 | -1): void {
  if (asset === native || isIssuer(account, asset)) return;
  const key = lineKey(account, asset);
  const line = state.lines.get(key);
  if (!line || line.poolUses + delta < 0) throw new BrokenInvariant('asset trustline is missing');
  state.lines.set(key, { ...line, poolUses: line.poolUses + delta });
}

/** One more line of shares; the first one makes the pool. */
export function joinPool(state: LedgerState, pool: PoolAssets): void {
  const id = poolIdOf(pool.assetA, pool.assetB);
  const empty = { id, ...pool, reserveA: 0n, reserveB: 0n, shares: 0n, trustlines: 0n, lastModified: 0 };
  const entry = state.pools.get(id) ?? empty;
  state.pools.set(id, { ...entry, trustlines: entry.trustlines + 1n });
}

/** One line of shares less; the last one ends the pool. */
export function leavePool(state: LedgerState, account: string, { assetA, assetB }: PoolAssets): void {
  changePoolUse(state, account, assetA, -1);
  changePoolUse(state, account, assetB, -1);
  const id = poolIdOf(assetA, assetB);
  const entry = state.pools.get(id);
  if (!entry || entry.trustlines < 1n) throw new BrokenInvariant('liquidity pool is missing');
  if (entry.trustlines === 1n) state.pools.delete(id);
  else state.pools.set(id, { ...entry, trustlines: entry.trustlines - 1n });
}

/** What so many shares are worth of one reserve; rounding stays in the pool. */
export const shareOf = (amount: bigint, shares: bigint, reserve: bigint): bigint => (amount * reserve) / shares;

/** What goes into a pool, and the shares it gives. */
export interface Deposit {
  readonly amountA: bigint;
  readonly amountB: bigint;
  readonly shares: bigint;
}

/** The first deposit sets the price; later ones follow it, rounded in favour of the pool. */
export function depositOf(
  pool: Omit<LiquidityPool, 'trustlines' | 'lastModified'>,
  { maxAmountA, maxAmountB }: LiquidityPoolDepositOpWire,
): Deposit {
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

/** The square root of what is not negative, rounded down (Newton). */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

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
