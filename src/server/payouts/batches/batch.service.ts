import { PayError } from '../../../core/error.ts';
import { approve, cancelApprovals } from '../../approvals/approval.service.ts';
import type { ApprovalPurpose } from '../../approvals/approval.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { findRow } from '../../platform/db/rows.ts';
import { changeRow } from '../../platform/events/change.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { type ActionDeps, actOn, type PreparedAction, prepareAction, startPayouts } from '../actions.service.ts';
import { lockBatches } from '../payout.store.ts';
import { batchResource, inFlight } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import { payoutSweep } from '../sending/payout-queue.service.ts';
import type { BatchRow } from '../tables.ts';
import { lockBatchPayouts } from './batch.store.ts';

/** A batch of the caller. Throws `resource_missing`. */
export async function readBatch(db: Executor, { merchant, livemode }: Caller, id: string): Promise<BatchRow> {
  const row = await findRow(db, 'payout_batches', { merchant_id: merchant.id, id, livemode });
  if (row !== null) return row;
  throw new PayError('resource_missing', 'There is no batch of payouts with this id.', { param: 'id' });
}

/**
 * Approves a batch, and starts its payouts unless they are scheduled for later. Throws `approval_required` for the
 * person who created the batch, and `payout_in_flight` if no approval is pending.
 */
export async function approveBatch(tx: Tx, deps: PayoutContext, caller: Caller, id: string): Promise<BatchRow> {
  const { merchant, now, keyId } = caller;
  // All transactions lock payouts before their batch, so they cannot deadlock.
  const payouts = await lockBatchPayouts(tx, merchant.id, id);
  const [batch] = await lockBatches(tx, merchant.id, [id]);
  if (batch?.status !== 'awaiting_approval') throw inFlight('The batch does not wait for approval.');
  await approve(tx, caller, id);
  // A recurring batch has no payouts to start. The sweep creates its due runs.
  const isEarly = batch.template !== null || (batch.due_at !== null && batch.due_at > now);
  if (!isEarly) await startPayouts(tx, deps, payouts, now);
  const set = { approved_by: keyId, approved_at: now, ...(!isEarly && { due_at: null }) };
  return await changeRow(tx, batchResource, deps, batch, { to: isEarly ? 'scheduled' : 'processing', set, now });
}

/** Approvals of batches, in the list of all approvals. */
export function batchApprovals(
  deps: ActionDeps & { readonly db: Db; readonly wake: (sweep: string) => void },
): ApprovalPurpose {
  return {
    kind: 'payout_batch',
    prepare: async (_, id) => (tx, caller) => approveBatch(tx, deps, caller, id),
    cancel: async (tx, caller, id) => {
      const ofBatch = { merchantId: caller.merchant.id, batchId: id };
      return await actOnBatch(tx, deps, caller, id, await prepareAction(tx, deps, ofBatch, 'cancel'));
    },
    wake: () => deps.wake(payoutSweep),
  };
}

/** Applies the action to all payouts of a batch that allow it. Throws `payout_in_flight` if none allows it. */
export async function actOnBatch(
  tx: Tx,
  deps: ActionDeps,
  caller: Caller,
  id: string,
  prepared: PreparedAction,
): Promise<BatchRow> {
  const { action } = prepared;
  const payouts = await lockBatchPayouts(tx, caller.merchant.id, id);
  const ids = payouts.map(payout => payout.id);
  const changed = await actOn(tx, deps, caller, ids, prepared);
  const [batch] = await lockBatches(tx, caller.merchant.id, [id]);
  if (batch === undefined) throw new Error(`batch ${id} does not exist`);
  // A recurring batch has no payouts, so the batch itself is canceled.
  if (action === 'cancel' && batch.template !== null && ['scheduled', 'awaiting_approval'].includes(batch.status)) {
    const set = { due_at: null, next_run_at: null, completed_at: caller.now };
    await cancelApprovals(tx, caller, [id]);
    return await changeRow(tx, batchResource, deps, batch, { to: 'canceled', set, now: caller.now });
  }
  if (changed.length > 0) return batch;
  throw inFlight(`The action ${action} fits no payout of the batch: they are on their way, or have ended.`);
}
