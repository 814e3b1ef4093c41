import type { CreatePayout, UpdatePayoutBatch } from '../../../api/payout.ts';
import { PayError } from '../../../core/error.ts';
import { askPerson, mustWait } from '../../approvals/approval.service.ts';
import type { Tx } from '../../platform/db/database.ts';
import { changeRow, planChange, planned, writeChanges } from '../../platform/events/change.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { startPayouts } from '../actions.service.ts';
import { batchSummary, questionOf, templateOf } from '../intake/batch-plan.service.ts';
import { checkRows, type IntakeDeps, totalsOf } from '../intake/bulk.service.ts';
import { createRowReader } from '../intake/row-reader.ts';
import { lockBatches } from '../payout.store.ts';
import { batchResource, inFlight, payoutResource } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import { readSchedule } from '../schedule.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';
import { lastOccurrence, lockBatchPayouts } from './batch.store.ts';

interface EditDeps extends IntakeDeps, PayoutContext {}

/** Changed columns of a batch, without its status. */
type Changes = Partial<BatchRow>;

/**
 * Checks the change of a batch that has not started, and returns the function that writes the change. May read rates. A
 * new schedule or new rows of an approved recurring batch need a new approval, by another key than the editor's. Throws
 * `payout_in_flight`, `invalid_schedule`, and the errors of rows.
 */
export async function prepareEdit(
  deps: EditDeps,
  caller: Caller,
  batch: BatchRow,
  body: UpdatePayoutBatch,
): Promise<(tx: Tx) => Promise<BatchRow>> {
  assertOpen(batch);
  const { description, metadata } = body;
  const labels = { ...(description !== undefined && { description }), ...(metadata !== undefined && { metadata }) };
  if (batch.template === null) {
    if (body.payouts === undefined) return tx => editScheduled(tx, deps, caller, batch, { ...body, labels });
    const message = 'Only the payouts of a recurring batch can be replaced. Cancel this batch and send a new one.';
    throw new PayError('parameter_invalid', message, { param: 'payouts' });
  }
  const rows = body.payouts === undefined ? null : await readRows(deps, caller, batch, body.payouts);
  return tx => editRecurring(tx, deps, caller, batch, { schedule: body.schedule, labels, rows });
}

function assertOpen({ status }: BatchRow): void {
  if (status === 'scheduled' || status === 'awaiting_approval') return;
  throw inFlight(`The batch is ${status}, so it can no longer be changed.`);
}

/** The columns of the new rows, and whether they need an approval. */
async function readRows(deps: EditDeps, caller: Caller, batch: BatchRow, payouts: readonly CreatePayout[]) {
  const reader = createRowReader();
  for (const [index, row] of payouts.entries()) reader.take(row, index);
  const read = reader.result();
  const { payouts: _payouts, targets: _targets, ...options } = batch.template ?? { payouts: [] };
  const { rows, errors, total } = await checkRows(deps, caller, read, { ...options, on_error: 'reject_all' });
  const totals = totalsOf(rows);
  const given = new Map(read.rows.map(({ index, row }) => [index, row]));
  const set: Changes = {
    template: templateOf(rows, given, options),
    totals,
    total,
    accepted: rows.length,
    rejected: total - rows.length,
    errors: [...errors] as BatchRow['errors'],
  };
  const asked = { ...(batch.approval !== null && { approval: batch.approval }), schedule: batch.schedule };
  const question = await questionOf(deps, caller.merchant, asked, totals);
  return { set, question, isApprovalNeeded: await mustWait(deps.db, caller, question) };
}

async function editRecurring(
  tx: Tx,
  deps: EditDeps,
  caller: Caller,
  { merchant_id: merchantId, id }: BatchRow,
  edit: {
    readonly schedule: UpdatePayoutBatch['schedule'];
    readonly labels: Changes;
    readonly rows: Awaited<ReturnType<typeof readRows>> | null;
  },
): Promise<BatchRow> {
  const { now, keyId } = caller;
  const batch = await lockBatch(tx, merchantId, id);
  const runs = edit.schedule === undefined ? {} : await runsOf(tx, caller, batch, edit.schedule);
  const set: Changes = { ...edit.labels, ...runs, ...edit.rows?.set };
  const changesPayments = edit.rows !== null || edit.schedule !== undefined;
  const isApprovalNeeded = changesPayments && (batch.approved_at !== null || edit.rows?.isApprovalNeeded === true);
  // The key that changes the rows or the schedule counts as the creator, so it cannot approve the batch.
  if (changesPayments) set.created_by = keyId;
  if (isApprovalNeeded) Object.assign(set, { approved_at: null, approved_by: null, approval: batch.approval ?? {} });
  const asksAgain = isApprovalNeeded && batch.status === 'scheduled';
  if (asksAgain || (changesPayments && batch.status === 'awaiting_approval')) {
    const { accepted, totals } = { ...batch, ...set };
    const out = { kind: 'payout_batch', objectId: id, summary: batchSummary(accepted, totals) } as const;
    await askPerson(tx, caller, { ...out, worth: edit.rows?.question.worth ?? null });
  }
  const change = asksAgain ? ({ to: 'awaiting_approval' } as const) : ({ events: ['payout_batch.updated'] } as const);
  return await changeRow(tx, batchResource, deps, batch, { ...change, set, now });
}

/** The columns of the new schedule. Its first run is later than the last created run. */
async function runsOf(tx: Tx, caller: Caller, batch: BatchRow, given: NonNullable<UpdatePayoutBatch['schedule']>) {
  if (given.type !== 'recurring') {
    const message = 'A recurring batch needs a recurring schedule. Cancel it, and send a new one.';
    throw new PayError('invalid_schedule', message, { param: 'schedule.type' });
  }
  const last = await lastOccurrence(tx, batch);
  const { schedule, at } = readSchedule(given, caller, last ?? caller.now);
  return { schedule, due_at: at, next_run_at: at };
}

/** Reschedules a waiting batch, or starts it. */
async function editScheduled(
  tx: Tx,
  deps: EditDeps,
  caller: Caller,
  { merchant_id: merchantId, id }: BatchRow,
  { schedule: given, labels }: Pick<UpdatePayoutBatch, 'schedule'> & { readonly labels: Changes },
): Promise<BatchRow> {
  const { now } = caller;
  // All transactions lock payouts before their batch, so they cannot deadlock.
  const payouts = await lockBatchPayouts(tx, merchantId, id);
  const batch = await lockBatch(tx, merchantId, id);
  const events = ['payout_batch.updated'] as const;
  if (given === undefined) return await changeRow(tx, batchResource, deps, batch, { set: labels, events, now });
  if (given.type === 'recurring') {
    const message = 'A batch that pays once cannot become recurring. Cancel it, and send a new one.';
    throw new PayError('invalid_schedule', message, { param: 'schedule.type' });
  }
  const { schedule, at } = readSchedule(given, caller);
  const moved = await moveTo(tx, deps, payouts, at, now);
  const startsNow = at === null && batch.status === 'scheduled';
  if (startsNow) await startPayouts(tx, deps, moved, now);
  const set = { ...labels, schedule, due_at: at };
  return await changeRow(tx, batchResource, deps, batch, { ...(startsNow && { to: 'processing' }), set, events, now });
}

/** Sets the time when waiting payouts are sent. Null: as soon as possible. */
async function moveTo(tx: Tx, deps: EditDeps, rows: readonly PayoutRow[], at: Date | null, now: Date) {
  const plans = rows
    .filter(({ status }) => status === 'scheduled' || status === 'on_hold')
    .map(row => planChange(payoutResource, deps, planned(row), { set: { scheduled_at: at }, now }));
  await writeChanges(tx, payoutResource, plans);
  return plans.map(({ after }) => after);
}

async function lockBatch(tx: Tx, merchantId: string, id: string): Promise<BatchRow> {
  const [batch] = await lockBatches(tx, merchantId, [id]);
  if (batch === undefined) throw new Error(`batch ${id} does not exist`);
  assertOpen(batch);
  return batch;
}
