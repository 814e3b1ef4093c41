import type { BulkOptions, CreatePayout, PayoutBatch } from '../../../api/payout.ts';
import { newId } from '../../../core/id.ts';
import { convertUp } from '../../../core/rate.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { invalidRequest } from '../../platform/http/validation.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { Rates } from '../../rates/rates.ts';
import { readSchedule } from '../batches/schedule.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';
import { type CheckedRows, totalsOf } from './bulk.service.ts';

/** A batch and its payouts, ready to insert. */
export interface BatchPlan {
  readonly batch: BatchRow;
  readonly payouts: readonly PayoutRow[];
}

interface PlanDeps {
  readonly rates: Rates;
}

/**
 * The rows to insert. Immediate payouts are due now. Other payouts wait for their time or for an approval. A recurring
 * batch has no payouts. It stores the accepted rows as the caller sent them (`given`). Throws `invalid_schedule`, and
 * the errors of `needsApproval` and `templateOf`.
 */
export async function planBatch(
  deps: PlanDeps,
  caller: Caller,
  { rows, errors, total }: CheckedRows,
  options: BulkOptions,
  given: ReadonlyMap<number, CreatePayout>,
): Promise<BatchPlan> {
  const { now, merchant } = caller;
  const { schedule, at } = readSchedule(options.schedule ?? { type: 'immediate' }, caller);
  const totals = totalsOf(rows);
  const isApproved = !(await needsApproval(deps, merchant, options.approval, totals));
  const isNow = isApproved && at === null;
  const id = newId('payoutBatch');
  const status = rows.length === 0 ? 'failed' : !isApproved ? 'awaiting_approval' : isNow ? 'processing' : 'scheduled';
  const isRecurring = schedule.type === 'recurring' && rows.length > 0;
  const batch: BatchRow = {
    ...{ merchant_id: merchant.id, id, livemode: caller.livemode, status, total, totals },
    ...{ accepted: rows.length, rejected: total - rows.length, errors: [...errors] as BatchRow['errors'] },
    ...{ schedule, due_at: rows.length === 0 ? null : at, next_run_at: isRecurring ? at : null },
    template: isRecurring ? templateOf(rows, given, options) : null,
    ...{ recurring_batch: null, occurrence_at: null, created_by: caller.keyId, approved_by: null, approved_at: null },
    approval: options.approval ?? (isApproved ? null : {}),
    ...{ description: options.description ?? null, metadata: options.metadata ?? {}, event_sequence: 1, version: 0 },
    ...{ created_at: now, completed_at: rows.length === 0 ? now : null },
  };
  return { batch, payouts: isRecurring ? [] : rows.map(row => payoutOf(row, batch, isNow)) };
}

function payoutOf(row: PayoutRow, { id, due_at: at, created_at: now }: BatchRow, isNow: boolean): PayoutRow {
  return {
    ...{ ...row, batch_id: id, scheduled_at: at },
    status: row.status === 'on_hold' || isNow ? row.status : ('scheduled' as const),
    due_at: isNow && row.status === 'queued' ? now : null,
  };
}

/** Characters of the longest reference in a recurring batch. Each run appends its date, `/2026-12-31`. */
const longestReference = 89;

/** The template of a recurring batch: its accepted rows and their options. Throws for references that are too long. */
export function templateOf(
  rows: readonly PayoutRow[],
  given: ReadonlyMap<number, CreatePayout>,
  { on_error, fx }: BulkOptions,
): NonNullable<BatchRow['template']> {
  const tooLong = rows.filter(({ reference }) => (reference?.length ?? 0) > longestReference);
  if (tooLong.length > 0) {
    const message = `A reference of a recurring batch has at most ${longestReference} characters: each run adds its date.`;
    const errors = tooLong.map(({ position: index }) => ({
      ...({ index, param: `payouts[${index}].reference`, code: 'parameter_invalid', message } as const),
    }));
    throw invalidRequest(errors);
  }
  const payouts = rows.flatMap(({ position }) => given.get(position) ?? []);
  return { payouts, ...(on_error !== undefined && { on_error }), ...(fx !== undefined && { fx }) };
}

/**
 * Whether a second key must approve the batch. The caller can ask for an approval, or the total exceeds the caller's or
 * the account's limit. Throws `rate_unavailable`.
 */
export async function needsApproval(
  { rates }: PlanDeps,
  { payoutApprovalAmount: most, payoutApprovalCurrency: currency }: Merchant,
  approval: BulkOptions['approval'],
  totals: PayoutBatch['totals'],
): Promise<boolean> {
  if (approval !== undefined && (approval.required ?? approval.above === undefined)) return true;
  if (most !== null && currency !== null && (await worthOf(rates, totals, currency)) > most) return true;
  const above = approval?.above;
  return above !== undefined && (await worthOf(rates, totals, above.currency.toUpperCase())) > BigInt(above.amount);
}

async function worthOf(rates: Rates, totals: PayoutBatch['totals'], currency: string): Promise<bigint> {
  let worth = 0n;
  for (const total of totals) {
    const amount = BigInt(total.amount);
    worth +=
      total.currency === currency ? amount : convertUp(amount, (await rates.find(total.currency, currency)).rate);
  }
  return worth;
}
