import { isOverCap, type Sendable } from './batch.ts';
import { committedAmounts, memoOf, type OutgoingRow, type Refused, refuseQueued } from './outgoing.store.ts';
import { type FailureCode, failure } from './outgoing.ts';
import type { SubmissionDeps } from './submission-deps.ts';
import { coverable } from './treasury-view.ts';

/** A transfer ready to be put into a transaction, and the XLM (stroops) that it takes as a reserve. */
export type Ready = Sendable & { readonly row: OutgoingRow; readonly reserve: bigint };

/** How long a transfer waits for the treasury to be filled before it is looked at again. */
const shortSeconds = 10;
/** Reserve of a claimable balance with two claimants, in stroops: one base reserve each. */
const claimableReserve = 10_000_000n;

/**
 * Sorts out, of transfers claimed with the token, what cannot be sent: for good where it is the destination's doing, for
 * a while where the treasury is short. Returns the others. Throws `StellarUnavailable`.
 */
export async function preflight(deps: SubmissionDeps, token: string, rows: readonly OutgoingRow[]): Promise<Ready[]> {
  const all = rows.map(toReady);
  const problems = await Promise.all(all.map(transfer => problemOf(deps, transfer)));
  const refused: Refused[] = [];
  const sound: Ready[] = [];
  for (const [index, transfer] of all.entries()) {
    const problem = problems[index] ?? null;
    if (problem === null) sound.push(transfer);
    else refused.push({ row: transfer.row, failure: failure(problem), heldSeconds: null });
  }
  const [spendable, committed] = await Promise.all([
    deps.treasury.spendable(),
    committedAmounts(deps.db, ['assigned', 'submitted']),
  ]);
  const { covered, short } = coverable(sound, spendable ?? new Map(), committed);
  const reason = failure('treasury_underfunded');
  const heldBack = short.map(({ row }) => ({ row, failure: reason, heldSeconds: shortSeconds }));
  if (short.length > 0) deps.log.warn({ transfers: short.length }, 'the treasury is short; money waits to be sent');
  await refuseQueued(deps.db, token, [...refused, ...heldBack]);
  return covered;
}

async function problemOf(deps: SubmissionDeps, transfer: Ready): Promise<FailureCode | null> {
  if (isOverCap(transfer, deps.signer.transactionCap)) return 'over_cap';
  if (transfer.delivery === 'claimable_balance') return null;
  return await deps.destinations.problem({ ...transfer, hasMemo: transfer.memo !== null });
}

function toReady(row: OutgoingRow): Ready {
  return {
    row,
    id: row.id,
    delivery: row.delivery,
    destination: row.destination,
    memo: memoOf(row),
    asset: row.asset,
    amount: row.amount,
    sourceAsset: row.source_asset,
    sendMax: row.send_max,
    path: row.path,
    reserve: row.delivery === 'claimable_balance' ? claimableReserve : 0n,
  };
}
