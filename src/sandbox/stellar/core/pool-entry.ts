import { BrokenInvariant } from './entries.ts';
import { isIssuer, native, poolIdOf } from './ledger-asset.ts';
import { type LedgerState, lineKey } from './ledger-state.ts';

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
