import type { PayoutBatchStatus } from '../../api/payout.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Planned, planChange, planned, writeChanges } from '../platform/events/change.ts';
import { countStatuses, lockBatches } from './payout.store.ts';
import { batchResource, endedStatuses } from './payout.ts';
import type { PayoutContext, StatusCounts } from './payout.view.ts';
import type { PayoutRow } from './tables.ts';

/**
 * Ends batches whose last payout has ended, in the transaction that changes one merchant's payouts. Locks a batch
 * before it counts the batch's payouts. If two transactions end the last payouts, the later one therefore counts all.
 * Returns the ids of the batches of which nothing was sent.
 */
export async function concludeBatches(
  tx: Tx,
  context: PayoutContext,
  changes: readonly Planned<PayoutRow>[],
): Promise<readonly string[]> {
  const ended = changes.filter(({ after }) => hasEnded(after.status));
  const [first] = ended;
  if (first === undefined) return [];
  const { merchant_id: merchantId } = first.after;
  const now = latest(ended.flatMap(({ after }) => after.completed_at ?? []));
  const ids = [...new Set(ended.map(({ after }) => after.batch_id))];
  const batches = await lockBatches(tx, merchantId, ids);
  const counts = await countStatuses(tx, merchantId, ids);
  const plans = batches.flatMap(batch => {
    const statuses = counts.get(batch.id) ?? {};
    const to = finalStatus(statuses);
    if (to === null || to === batch.status || batch.status === 'canceled') return [];
    const isOpen = ['processing', 'scheduled', 'awaiting_approval'].includes(batch.status);
    if (!isOpen) return [];
    const start = planned({ ...batch, statuses });
    return [planChange(batchResource, context, start, { to, set: { completed_at: now, due_at: null }, now })];
  });
  await writeChanges(tx, batchResource, plans);
  return plans.filter(({ after }) => after.status === 'canceled').map(({ after }) => after.id);
}

function hasEnded(status: PayoutRow['status']): boolean {
  return (endedStatuses as readonly string[]).includes(status);
}

function latest(moments: readonly Date[]): Date {
  return new Date(Math.max(...moments.map(moment => moment.getTime())));
}

/** The final status of a batch with these payouts. Null if a payout has not ended. */
function finalStatus(statuses: StatusCounts): PayoutBatchStatus | null {
  const present = Object.keys(statuses) as PayoutRow['status'][];
  if (present.some(status => !hasEnded(status))) return null;
  const areAll = (status: PayoutRow['status']) => present.every(each => each === status);
  if (areAll('canceled')) return 'canceled';
  if (areAll('completed')) return 'completed';
  return present.includes('completed') ? 'partially_completed' : 'failed';
}
