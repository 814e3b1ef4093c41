import { clawbackFlag, findLine } from './balance.ts';
import { balanceId } from './claimable-id.ts';
import { BrokenInvariant, type LiquidityPool, type Trustline } from './entries.ts';
import { isIssuer, isPoolShare, native } from './ledger-asset.ts';
import { type LedgerState, lineKey } from './ledger-state.ts';
import type { OperationScope } from './operation-rules.ts';
import { leavePool, shareOf } from './pool-entry.ts';
import { forceReserve, type ReserveFault, releaseSubEntry, reserveFor } from './sponsorship.ts';

/** Turns what an account has in pools of an asset into claimable balances for it (CAP-38). */
export function redeemPoolShares(scope: OperationScope, account: string, asset: string): ReserveFault | null {
  const { state } = scope;
  for (const line of state.linesOf(account)) {
    const pool = isPoolShare(line.asset) ? state.pools.get(line.asset) : undefined;
    if (!pool || (pool.assetA !== asset && pool.assetB !== asset)) continue;
    const fault = redeem(scope, line, pool);
    if (fault) return fault;
  }
  return null;
}

function redeem(scope: OperationScope, line: Trustline, pool: LiquidityPool): ReserveFault | null {
  const { state } = scope;
  releaseSubEntry(state, line.account, 2, line.sponsor);
  state.lines.delete(lineKey(line.account, line.asset));
  if (line.balance !== 0n) {
    const amountA = shareOf(line.balance, pool.shares, pool.reserveA);
    const amountB = shareOf(line.balance, pool.shares, pool.reserveB);
    const fault = redeemInto(scope, line, pool.assetA, amountA) ?? redeemInto(scope, line, pool.assetB, amountB);
    if (fault) return fault;
    state.pools.set(pool.id, {
      ...pool,
      shares: pool.shares - line.balance,
      reserveA: pool.reserveA - amountA,
      reserveB: pool.reserveB - amountB,
    });
  }
  leavePool(state, line.account, pool);
  return null;
}

/** Who paid for the line of shares pays for the balance, or who sponsors that one at the moment. */
function payerOf(state: LedgerState, backer: string): { sponsor: string } | { fault: ReserveFault } {
  if (state.sponsorships.get(backer) === undefined) {
    forceReserve(state, backer, 1);
    return { sponsor: backer };
  }
  const reserved = reserveFor(state, backer, 1);
  return reserved.fault ? { fault: reserved.fault } : { sponsor: reserved.sponsor ?? backer };
}

function redeemInto(
  scope: OperationScope,
  { account, asset: poolId, sponsor }: Trustline,
  asset: string,
  amount: bigint,
): ReserveFault | null {
  const { state } = scope;
  if (amount === 0n || isIssuer(account, asset)) return null;
  const line = asset === native ? null : findLine(state, account, asset);
  if (asset !== native && (line === null || line === 'issuer')) throw new BrokenInvariant('asset trustline is missing');
  const clawback = line !== null && line !== 'issuer' && (line.flags & clawbackFlag) !== 0;
  const payer = payerOf(state, sponsor ?? account);
  if ('fault' in payer) return payer.fault;
  const id = balanceId(scope, { poolId, asset });
  const claimants = [{ destination: account, predicate: { type: 0 } as const }];
  state.balances.set(id, { id, asset, amount, claimants, clawback, sponsor: payer.sponsor, lastModified: 0 });
  return null;
}
