import { Payout, PayoutBatch, type PayoutEvents } from '../../api/payout.ts';
import { newId } from '../../core/id.ts';
import { formatRate } from '../../core/rate.ts';
import { unitOf, unitText } from '../../core/unit.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import { isOnChain } from './destinations/route.ts';
import type { PayoutOwner } from './payout-owner.ts';
import { nextRuns } from './schedule.ts';
import type { BatchRow, PayoutRow } from './tables.ts';

export interface PayoutContext {
  /** Base URL of the service, without a final slash. */
  readonly publicUrl: () => string;
  /** The modules that learn how their payouts ended. */
  readonly payoutOwners: readonly PayoutOwner[];
}

/** A payout in its wire form, for its merchant and for events. */
export function payoutToWire(_: PayoutContext, row: PayoutRow): Payout {
  return {
    id: row.id,
    object: 'payout',
    status: row.status,
    batch: row.batch_id,
    settlement: row.settlement_id,
    ramp: row.ramp_id,
    recipient_id: row.recipient_id,
    amount: Number(row.amount),
    currency: row.currency,
    destination: row.destination,
    reference: row.reference,
    description: row.description,
    failure: reason(row.failure_code, row.failure_message),
    hold: reason(row.hold_code, row.hold_message),
    fx: conversionOf(row),
    fee: { amount: Number(row.fee), currency: row.source_currency },
    returned: { amount: Number(row.returned_amount), currency: row.source_currency },
    trace: traceOf(row),
    attempt: row.attempt,
    eta_at: momentText(row.eta_at),
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    scheduled_at: momentText(row.scheduled_at),
    completed_at: momentText(row.completed_at),
  };
}

function reason(code: string | null, message: string | null) {
  return code === null ? null : { code, message: message ?? '' };
}

function momentText(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}

function conversionOf(row: PayoutRow): Payout['fx'] {
  const { source_currency: source, source_amount: given, unit, paid_amount: paid } = row;
  if (unit === null || (unit === row.currency && source === row.currency)) return null;
  const rate =
    paid === null
      ? null
      : formatRate({ numerator: paid, denominator: given }, unitOf(source).decimals, unitOf(unit).decimals);
  return {
    rate,
    source_amount: Number(given),
    source_currency: source,
    currency: unit,
    amount: paid === null ? null : unitText(paid, unit),
  };
}

function traceOf(payout: PayoutRow): Payout['trace'] {
  const { rail, trace } = payout;
  const isFile = trace?.startsWith('bf_') === true;
  const isHash = isOnChain(payout);
  return {
    rail,
    tx_hash: isHash ? trace : null,
    provider_reference: isHash || isFile ? null : trace,
    file_id: isFile ? trace : null,
  };
}

/** Number of a batch's payouts in each status. */
export type StatusCounts = Readonly<Partial<Record<PayoutRow['status'], number>>>;

/** A batch with its counts, which are not columns. The template is omitted, because it may have 10,000 rows. */
export type CountedBatch = Omit<BatchRow, 'template'> & { readonly statuses?: StatusCounts };

/** A batch in its wire form. Without `statuses`, all its payouts count as pending. */
export function batchToWire({ publicUrl }: PayoutContext, row: CountedBatch): PayoutBatch {
  const address = `${publicUrl()}/v1/payout-batches/${row.id}`;
  return {
    id: row.id,
    object: 'payout_batch',
    status: row.status,
    counts: countsOf(row),
    statuses: row.statuses ?? null,
    totals: row.totals,
    errors: row.errors,
    schedule: row.schedule,
    recurring_batch: row.recurring_batch,
    occurrence_at: momentText(row.occurrence_at),
    next_runs: runsOf(row).map(run => run.toISOString()),
    approval:
      row.approval === null
        ? null
        : { approved_at: momentText(row.approved_at), approved_by: row.approved_by, created_by: row.created_by },
    dry_run: false,
    payouts_url: `${address}/payouts`,
    results_url: `${address}/results.csv`,
    description: row.description,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    completed_at: momentText(row.completed_at),
  };
}

/** Maximum number of a batch's errors in lists and events. All errors could take megabytes. */
const mostErrors = 100;

/** A batch in lists and events, with only its first errors. */
export function batchSummaryToWire(context: PayoutContext, row: CountedBatch): PayoutBatch {
  return batchToWire(context, { ...row, errors: row.errors.slice(0, mostErrors) });
}

/** Number of next runs in the wire form of a recurring batch. */
const shownRuns = 5;

function runsOf({ schedule, next_run_at: next }: CountedBatch): Date[] {
  return next === null ? [] : nextRuns(schedule, new Date(next.getTime() - 1), shownRuns);
}

function countsOf({ total, accepted, rejected, schedule, statuses = {} }: CountedBatch): PayoutBatch['counts'] {
  const { completed = 0, failed = 0, returned = 0, canceled = 0 } = statuses;
  const ended = failed + returned + canceled;
  // A recurring batch has no payouts. Each run is a batch of its own with the payouts.
  const pending = schedule.type === 'recurring' ? 0 : accepted - completed - ended;
  return { total, accepted, rejected, pending, completed, failed: ended };
}

const sampleBatch = 'pbat_3kTMd0PpC1hJ6nLq2uXs9B';

function samplePayout({ caller }: SampleContext): Payout {
  const at = caller.now.toISOString();
  return {
    id: newId('payout'),
    object: 'payout',
    status: 'queued',
    batch: sampleBatch,
    settlement: null,
    ramp: null,
    recipient_id: null,
    amount: 12_500,
    currency: 'EUR',
    reference: 'salary-2026-11-0042',
    description: 'November',
    destination: { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' },
    failure: null,
    hold: null,
    fx: null,
    fee: { amount: 0, currency: 'EUR' },
    returned: { amount: 0, currency: 'EUR' },
    trace: { rail: 'sepa', tx_hash: null, provider_reference: null, file_id: null },
    attempt: 1,
    eta_at: null,
    metadata: {},
    livemode: caller.livemode,
    created_at: at,
    scheduled_at: null,
    completed_at: null,
  };
}

function sampleBatchOf({ caller, publicUrl }: SampleContext): PayoutBatch & { readonly id: string } {
  const address = `${publicUrl}/v1/payout-batches/${sampleBatch}`;
  return {
    id: sampleBatch,
    object: 'payout_batch',
    status: 'processing',
    counts: { total: 2, accepted: 2, rejected: 0, pending: 2, completed: 0, failed: 0 },
    statuses: { queued: 2 },
    totals: [{ currency: 'EUR', amount: 25_000, fee: 0, count: 2 }],
    errors: [],
    schedule: { type: 'immediate' },
    next_runs: [],
    recurring_batch: null,
    approval: null,
    occurrence_at: null,
    dry_run: false,
    payouts_url: `${address}/payouts`,
    results_url: `${address}/results.csv`,
    description: null,
    metadata: {},
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
    completed_at: null,
  };
}

/** The events of payouts and their batches. */
export const payoutEvents: EventDefinitions<PayoutEvents> = {
  ...sampleEvents(Payout, samplePayout, {
    'payout.created': () => ({}),
    'payout.on_hold': () => ({ status: 'on_hold', hold: { code: 'rate_moved', message: 'The rate became worse.' } }),
    'payout.queued': () => ({ attempt: 2 }),
    'payout.processing': () => ({ status: 'processing' }),
    'payout.sent': () => ({ status: 'sent' }),
    'payout.completed': now => ({ status: 'completed', completed_at: now.toISOString() }),
    'payout.failed': () => ({
      status: 'failed',
      failure: { code: 'account_closed', message: 'The account is closed.' },
    }),
    'payout.partially_returned': now => ({
      status: 'completed',
      completed_at: now.toISOString(),
      returned: { amount: 12_000, currency: 'EUR' },
      failure: { code: 'account_closed', message: 'The account is closed.' },
    }),
    'payout.returned': () => ({
      status: 'returned',
      returned: { amount: 12_500, currency: 'EUR' },
      failure: { code: 'account_closed', message: 'The account is closed.' },
    }),
    'payout.canceled': () => ({ status: 'canceled' }),
  }),
  ...sampleEvents(PayoutBatch, sampleBatchOf, {
    'payout_batch.created': () => ({}),
    'payout_batch.updated': () => ({ description: 'Salaries' }),
    'payout_batch.approved': now => ({
      approval: { approved_at: now.toISOString(), approved_by: 'key_second', created_by: 'key_first' },
    }),
    'payout_batch.completed': now => ({ status: 'completed', completed_at: now.toISOString() }),
    'payout_batch.canceled': () => ({ status: 'canceled' }),
  }),
};
