import { createHash } from 'node:crypto';
import type { BulkOptions, CreatePayout, PayoutBatch } from '../../../api/payout.ts';
import type { Question, WayOut } from '../../approvals/approval.service.ts';
import { createValuer, worthIn } from '../../approvals/approval.ts';
import { moneyText } from '../../ledger/balance-money.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { invalidRequest } from '../../platform/http/validation.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { Rates } from '../../rates/rates.ts';
import { readSchedule } from '../schedule.ts';
import type { BatchRow, BatchTemplate, PayoutRow } from '../tables.ts';
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
 * The rows to insert. Immediate payouts are due now. Other payouts wait for their time or for an approval (`waits`). A
 * recurring batch has no payouts. It stores the accepted rows as the caller sent them (`given`). Throws
 * `invalid_schedule`, and the errors of `templateOf`.
 */
export function planBatch(
  caller: Caller,
  { rows, errors, total }: CheckedRows,
  options: BulkOptions,
  given: ReadonlyMap<number, CreatePayout>,
  { id, waits }: { readonly id: string; readonly waits: boolean },
): BatchPlan {
  const { now, merchant } = caller;
  const { schedule, at } = readSchedule(options.schedule ?? { type: 'immediate' }, caller);
  const totals = totalsOf(rows);
  const isNow = !waits && at === null;
  const status = rows.length === 0 ? 'failed' : waits ? 'awaiting_approval' : isNow ? 'processing' : 'scheduled';
  const isRecurring = schedule.type === 'recurring' && rows.length > 0;
  const batch: BatchRow = {
    merchant_id: merchant.id,
    id,
    livemode: caller.livemode,
    status,
    total,
    totals,
    accepted: rows.length,
    rejected: total - rows.length,
    errors: [...errors] as BatchRow['errors'],
    schedule,
    due_at: rows.length === 0 ? null : at,
    next_run_at: isRecurring ? at : null,
    template: isRecurring ? templateOf(rows, given, options) : null,
    recurring_batch: null,
    occurrence_at: null,
    created_by: caller.keyId,
    approved_by: null,
    approved_at: null,
    approval: options.approval ?? (waits ? {} : null),
    description: options.description ?? null,
    metadata: options.metadata ?? {},
    event_sequence: 1,
    version: 0,
    created_at: now,
    completed_at: rows.length === 0 ? now : null,
  };
  return { batch, payouts: isRecurring ? [] : rows.map(row => payoutOf(row, batch, isNow)) };
}

function payoutOf(row: PayoutRow, { id, due_at: at, created_at: now }: BatchRow, isNow: boolean): PayoutRow {
  return {
    ...row,
    batch_id: id,
    scheduled_at: at,
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
      index,
      param: `payouts[${index}].reference`,
      code: 'parameter_invalid' as const,
      message,
    }));
    throw invalidRequest(errors);
  }
  const payouts = rows.flatMap(({ position }) => given.get(position) ?? []);
  return {
    payouts,
    targets: rows.map(targetOf),
    ...(on_error !== undefined && { on_error }),
    ...(fx !== undefined && { fx }),
  };
}

/** A hash of the payout's destination. A later default destination of the same recipient has another hash. */
function targetOf({ destination }: Pick<PayoutRow, 'destination'>): string {
  const fields = Object.entries(destination).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}

/** Whether the rows of a run pay the destinations that were approved with the template. */
export function paysApprovedTargets({ targets }: BatchTemplate, rows: readonly PayoutRow[]): boolean {
  return targets !== undefined && rows.every(row => targets[row.position] === targetOf(row));
}

/**
 * Whether a batch needs a second person: the caller asks for one, or the total exceeds an amount that the caller names,
 * or the account's limit. Throws `rate_unavailable`.
 */
export async function questionOf(
  deps: PlanDeps,
  merchant: Merchant,
  { approval, schedule }: Pick<BulkOptions, 'approval' | 'schedule'>,
  totals: PayoutBatch['totals'],
): Promise<Question> {
  const money = totals.map(({ amount, currency }) => ({ amount: BigInt(amount), currency }));
  const above = approval?.above;
  const isRequired = approval !== undefined && (approval.required ?? above === undefined);
  const isAsked =
    isRequired ||
    (above !== undefined && (await worthIn(deps.rates, money, above.currency.toUpperCase())) > BigInt(above.amount));
  const currencies = money.map(({ currency }) => currency);
  const worth = (await createValuer(deps, merchant, currencies))?.(money) ?? null;
  return { isAsked, worth, isPlan: schedule?.type === 'recurring' };
}

/** The batch as a way out of the account. A batch without accepted rows needs no approval. */
export function wayOutOf(id: string, question: Question, { rows }: Pick<CheckedRows, 'rows'>): WayOut {
  const summary = batchSummary(rows.length, totalsOf(rows));
  const asked = rows.length === 0 ? { worth: null } : question;
  return { kind: 'payout_batch', objectId: id, summary, ...asked };
}

/** The number and the sums of a batch's payouts, in words. */
export function batchSummary(count: number, totals: PayoutBatch['totals']): string {
  const sums = totals.map(({ amount, currency }) => moneyText({ amount: BigInt(amount), currency }));
  return `Batch of ${count} ${count === 1 ? 'payout' : 'payouts'}: ${sums.join(', ')}`;
}
