import type { CreatePayout } from '../../../api/payout.ts';
import { addSeconds } from '../../../core/clock.ts';
import { errorCatalogue, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { takeWayOut } from '../../approvals/approval.service.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { findRow } from '../../platform/db/rows.ts';
import { changeRow } from '../../platform/events/change.ts';
import { merchantCaller } from '../../platform/http/access/caller.ts';
import { dayIn } from '../../platform/local-day.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { type BatchPlan, paysApprovedTargets, planBatch, questionOf, wayOutOf } from '../intake/batch-plan.service.ts';
import { checkRows, type IntakeDeps, totalsOf } from '../intake/bulk.service.ts';
import { insertBatch } from '../intake/bulk.store.ts';
import { lockBatches } from '../payout.store.ts';
import { batchResource } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import { nextRuns } from '../schedule.ts';
import type { BatchRow } from '../tables.ts';
import type { DueBatch } from './batch.store.ts';

export interface RunDeps extends IntakeDeps, PayoutContext {
  readonly db: Db;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
}

/** A recurring batch with a next run. */
type Template = BatchRow & { readonly template: NonNullable<BatchRow['template']>; readonly next_run_at: Date };

/** Seconds until a run is tried again after an error of the service, for example a missing rate. */
const retrySeconds = 60;

/**
 * Creates the batch of the next run and schedules the following run, in one transaction. Missed runs are created in
 * order, one per call. After an error of the service, postpones the run and throws the error.
 */
export async function runOnce(deps: RunDeps, { merchant_id, id, clock: now }: DueBatch): Promise<void> {
  const row = await findRow(deps.db, 'payout_batches', { merchant_id, id });
  if (row === null || !isDue(row, now)) return;
  try {
    await run(deps, row, now);
  } catch (error) {
    await changeUnlessChanged(deps, row, tx => {
      const set = { due_at: addSeconds(now, retrySeconds) };
      return changeRow(tx, batchResource, deps, row, { set, now });
    });
    throw error;
  }
}

function isDue(row: BatchRow, now: Date): row is Template {
  const isOpen = row.status === 'scheduled' && row.template !== null && row.next_run_at !== null;
  return isOpen && row.due_at !== null && row.due_at <= now;
}

async function run(deps: RunDeps, template: Template, now: Date): Promise<void> {
  const occurrence = await planOccurrence(deps, template, now);
  try {
    await write(deps, template, occurrence, now);
  } catch (error) {
    if (!(error instanceof PayError) || error.code !== 'insufficient_funds') throw error;
    await write(deps, template, failedOccurrence(template, error, now), now);
  }
}

/** A run, planned inside the transaction that inserts it. */
type Occurrence = (tx: Tx) => Promise<BatchPlan>;

function failedOccurrence(template: Template, error: PayError, now: Date): Occurrence {
  return () => Promise.resolve(failedPlan(template, error, now));
}

/** The batch of the run, checked like a request. If a request would be rejected, the result is a failed batch. */
async function planOccurrence(deps: RunDeps, template: Template, now: Date): Promise<Occurrence> {
  const merchant = await deps.findMerchant(template.merchant_id);
  const { livemode, created_by: keyId } = template;
  const caller = merchantCaller({ merchant, livemode, now, keyId });
  const { payouts, targets: _targets, ...options } = template.template;
  const rows = payouts.map((row, index) => ({ index, row: ofOccurrence(row, template) }));
  try {
    const checked = await checkRows(deps, caller, { rows, errors: [], count: rows.length }, options);
    // The approval of a recurring batch covers its runs to the same destinations.
    const isApproved = template.approved_at !== null && paysApprovedTargets(template.template, checked.rows);
    const given = { ...options, ...(!isApproved && template.approval !== null && { approval: template.approval }) };
    const question = isApproved ? { worth: null } : await questionOf(deps, merchant, given, totalsOf(checked.rows));
    const id = newId('payoutBatch');
    return async tx => {
      const waits = await takeWayOut(tx, caller, wayOutOf(id, question, checked));
      const { batch, payouts: planned } = planBatch(caller, checked, given, new Map(), { id, waits });
      return { batch: { ...batch, ...linkTo(template) }, payouts: planned };
    };
  } catch (error) {
    // An error of the service is temporary, so the batch does not fail, and the run is repeated.
    if (!(error instanceof PayError) || errorCatalogue[error.code].status >= 500) throw error;
    return failedOccurrence(template, error, now);
  }
}

/** The row for this run. The run's date, in the schedule's time zone, is appended to the row's reference. */
function ofOccurrence(row: CreatePayout, { schedule, next_run_at: at }: Template): CreatePayout {
  if (row.reference === undefined) return row;
  const timezone = schedule.type === 'recurring' ? (schedule.timezone ?? 'utc') : 'utc';
  return { ...row, reference: `${row.reference}/${dayIn(timezone, at)}` };
}

function linkTo({ id, next_run_at, description, metadata }: Template) {
  return { recurring_batch: id, occurrence_at: next_run_at, description, metadata };
}

/** A batch without payouts that states why the run failed. */
function failedPlan(template: Template, error: PayError, now: Date): BatchPlan {
  const { merchant_id, livemode, accepted: total, created_by } = template;
  const { code, message } = error;
  const found = error.errors ?? [];
  const errors = found.length > 0 ? found : [{ index: 0, param: error.param ?? 'payouts', code, message }];
  const batch: BatchRow = {
    merchant_id,
    id: newId('payoutBatch'),
    livemode,
    status: 'failed',
    total,
    accepted: 0,
    rejected: total,
    errors: errors.map(one => ({ ...one, index: one.index ?? 0 })),
    totals: [],
    schedule: { type: 'immediate' },
    due_at: null,
    next_run_at: null,
    template: null,
    approval: null,
    created_by,
    approved_by: null,
    approved_at: null,
    ...linkTo(template),
    event_sequence: 1,
    version: 0,
    created_at: now,
    completed_at: now,
  };
  return { batch, payouts: [] };
}

/** Inserts the batch and schedules the next run. Does nothing if the recurring batch has changed. */
async function write(deps: RunDeps, template: Template, occurrence: Occurrence, now: Date): Promise<void> {
  await changeUnlessChanged(deps, template, async tx => {
    const { batch, payouts } = await occurrence(tx);
    await insertBatch(tx, deps, batch, payouts);
    if (batch.status === 'failed') {
      await changeRow(tx, batchResource, deps, batch, { events: ['payout_batch.completed'], now });
    }
    const [next] = nextRuns(template.schedule, template.next_run_at, 1);
    const change =
      next === undefined
        ? ({ to: 'completed', set: { due_at: null, next_run_at: null, completed_at: now } } as const)
        : { set: { due_at: next, next_run_at: next } };
    await changeRow(tx, batchResource, deps, template, { ...change, now });
  });
}

async function changeUnlessChanged(
  { db }: RunDeps,
  template: Template,
  effect: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const [row] = await lockBatches(tx, template.merchant_id, [template.id]);
    if (row?.version === template.version) await effect(tx);
  });
}
