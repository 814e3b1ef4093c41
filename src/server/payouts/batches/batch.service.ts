import { PayError } from '../../../core/error.ts';
import { approve, cancelApprovals } from '../../approvals/approval.service.ts';
import { findWaiting } from '../../approvals/approval.store.ts';
import type { ApprovalPurpose, Asked } from '../../approvals/approval.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { findRow } from '../../platform/db/rows.ts';
import { changeRow } from '../../platform/events/change.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import {
  type ActionDeps,
  actOn,
  type PayoutAction,
  type PreparedAction,
  prepareAction,
  startPayouts,
} from '../actions.service.ts';
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

export type BatchAction = PayoutAction | 'approve';

/**
 * Reads the rates of an action, or the approval that waits, and returns the function that applies the action. Throws
 * `payout_in_flight` if no approval is pending.
 */
export async function prepareBatchAction(
  deps: ActionDeps & { readonly db: Db },
  caller: Caller,
  id: string,
  action: BatchAction,
): Promise<(tx: Tx) => Promise<BatchRow>> {
  const { id: merchantId } = caller.merchant;
  if (action !== 'approve') {
    const prepared = await prepareAction(deps.db, deps, { merchantId, batchId: id }, action);
    return tx => actOnBatch(tx, deps, caller, id, prepared);
  }
  const asked = await findWaiting(deps.db, merchantId, id);
  if (asked === null) throw notAsked();
  return tx => approveBatch(tx, deps, caller, asked);
}

function notAsked(): PayError {
  return inFlight('The batch does not wait for approval.');
}

/**
 * Approves a batch, and starts its payouts unless they are scheduled for later. Throws `approval_required` for the
 * person who created the batch, `payout_in_flight` if no approval is pending, and `illegal_state` if an edit has replaced
 * the approval.
 */
async function approveBatch(
  tx: Tx,
  deps: PayoutContext,
  caller: Caller,
  { id: approvalId, object_id: id }: Asked,
): Promise<BatchRow> {
  const { merchant, now, keyId } = caller;
  // All transactions lock payouts before their batch, so they cannot deadlock.
  const payouts = await lockBatchPayouts(tx, merchant.id, id);
  const [batch] = await lockBatches(tx, merchant.id, [id]);
  if (batch?.status !== 'awaiting_approval') throw notAsked();
  await approve(tx, caller, approvalId);
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
    prepare: async (_, asked) => (tx, caller) => approveBatch(tx, deps, caller, asked),
    cancel: async (tx, caller, { object_id: id }) => {
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
