import type pg from 'pg';
import { systemClock } from '../../../core/clock.ts';
import { bigintArray, booleanArray, byteaArray, textArray, timestampArray } from '../../platform/db/array-parameter.ts';
import { createGroupWriter, type GroupWriter } from '../../platform/db/group-writer.ts';
import { recordCreations } from '../../platform/events/outbox.ts';
import { type IdempotencyScope, rememberNew } from '../../platform/http/idempotency/idempotency.store.ts';
import type { RenderedAnswer } from '../../platform/http/idempotency/idempotency.ts';
import type { PaymentRow } from '../payment.view.ts';

/** A new payment, its event and the answer to remember. */
export interface NewPayment {
  readonly row: PaymentRow;
  readonly event: { readonly id: string; readonly apiVersion: string; readonly object: string };
  /** Without the client secret; null when the request had no Idempotency-Key. */
  readonly remembered: { readonly scope: IdempotencyScope; readonly answer: RenderedAnswer } | null;
}

type Column = readonly [name: string, type: string, values: (batch: readonly NewPayment[]) => Buffer];

const text = (name: string, of: (item: NewPayment) => string | null): Column => [
  name,
  'text',
  batch => textArray(batch.map(of)),
];
const moment = (name: string, of: (item: NewPayment) => Date): Column => [
  name,
  'timestamptz',
  batch => timestampArray(batch.map(of)),
];
const integer = (name: string, of: (item: NewPayment) => bigint | null): Column => [
  name,
  'int8',
  batch => bigintArray(batch.map(of)),
];
const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Columns of `payments` that a creation sets; the others have defaults. */
const paymentColumns: readonly Column[] = [
  text('merchant_id', ({ row }) => row.merchant_id),
  text('id', ({ row }) => row.id),
  ['livemode', 'bool', batch => booleanArray(batch.map(({ row }) => row.livemode))],
  text('status', ({ row }) => row.status),
  text('phase', ({ row }) => row.phase),
  integer('amount', ({ row }) => row.amount),
  text('currency', ({ row }) => row.currency),
  text('description', ({ row }) => row.description),
  text('reference', ({ row }) => row.reference),
  text('line_items', ({ row }) => json(row.line_items)),
  text('locale', ({ row }) => row.locale),
  text('settlement_asset', ({ row }) => row.settlement_asset),
  text('settlement_address', ({ row }) => row.settlement_address),
  text('settlement_mode', ({ row }) => row.settlement_mode),
  text('payment_methods', ({ row }) => `{${row.payment_methods.join(',')}}`),
  text('customer_id', ({ row }) => row.customer_id),
  text('customer_email', ({ row }) => row.customer_email),
  text('customer_name', ({ row }) => row.customer_name),
  text('metadata', ({ row }) => json(row.metadata)),
  text('redirect_url', ({ row }) => row.redirect_url),
  text('quote_id', ({ row }) => row.quote_id),
  integer('quote_amount', ({ row }) => row.quote_amount),
  text('quote_rate_numerator', ({ row }) => String(row.quote_rate_numerator)),
  text('quote_rate_denominator', ({ row }) => String(row.quote_rate_denominator)),
  moment('expires_at', ({ row }) => row.expires_at),
  moment('session_expires_at', ({ row }) => row.session_expires_at),
  text('owner_type', ({ row }) => row.owner_type),
  text('owner_id', ({ row }) => row.owner_id),
  text('created_via', ({ row }) => row.created_via),
  text('created_by_key', ({ row }) => row.created_by_key),
  moment('created_at', ({ row }) => row.created_at),
];

const otherColumns: readonly Column[] = [
  text('event_id', ({ event }) => event.id),
  text('api_version', ({ event }) => event.apiVersion),
  text('object', ({ event }) => event.object),
  text('path', ({ remembered }) => remembered?.scope.path ?? null),
  text('key', ({ remembered }) => remembered?.scope.key ?? null),
  ['fingerprint', 'bytea', batch => byteaArray(batch.map(item => item.remembered?.scope.fingerprint ?? null))],
  integer('answer_status', ({ remembered }) => (remembered === null ? null : BigInt(remembered.answer.status))),
  text('answer_location', ({ remembered }) => remembered?.answer.location ?? null),
  text('answer_text', ({ remembered }) => remembered?.answer.text ?? null),
];

const columns = [...paymentColumns, ...otherColumns];

/** Columns that are passed as text and cast in SQL. */
const casts: Readonly<Record<string, string>> = {
  line_items: 'jsonb',
  payment_methods: 'text[]',
  metadata: 'jsonb',
  quote_rate_numerator: 'numeric',
  quote_rate_denominator: 'numeric',
};

const names = (list: readonly Column[]) => list.map(([name]) => name).join(', ');
const placeholders = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
/** The service's time. Remembered answers expire by it. */
const now = `$${columns.length + 1}::timestamptz`;
const values = paymentColumns.map(([name]) => (name in casts ? `${name}::${casts[name]}` : name)).join(', ');

/**
 * One statement writes a batch of payments with their events and remembered answers. The idempotency row decides: when
 * its key is taken and has not expired, nothing of the payment is written. An event of a merchant without webhook
 * endpoints needs no dispatch and is written as dispatched.
 */
const insertBatch = {
  name: 'payments_insert_batch',
  text: `
    with new as materialized (
      select * from unnest(${placeholders}) as new (${names(columns)})
    ), ${rememberNew(now)}, made as (
      insert into payments (${names(paymentColumns)})
      select ${values} from new where key is null or id in (select resource_id from remembered)
      returning id
    ), ${recordCreations('payment.created', 'made')}
    select resource_id as id, dispatched from recorded`,
};

/**
 * The outcome for a new payment: written with an event to dispatch (`made_and_awaited`), written without one, or not
 * written because the Idempotency-Key was used before.
 */
export type Written = 'made' | 'made_and_awaited' | 'key_taken';

/** Writes new payments. Payments that arrive together become one commit. */
export function createPaymentWriter(pool: pg.Pool): GroupWriter<NewPayment, Written> {
  return createGroupWriter<NewPayment, Written>({
    maxBatch: 128,
    maxParallel: 2,
    keyOf: ({ remembered }) => (remembered === null ? null : scopeText(remembered.scope)),
    write: async batch => {
      try {
        const parameters = [...columns.map(([, , of]) => of(batch)), systemClock.now()];
        const { rows } = await pool.query<MadeRow>({ ...insertBatch, values: parameters });
        const made = new Map(rows.map(row => [row.id, row.dispatched ? 'made' : 'made_and_awaited'] as const));
        return batch.map(({ row }) => made.get(row.id) ?? 'key_taken');
      } catch (error) {
        // A retry alone in its batch conflicts with its own row: the first try was committed, but its answer was lost.
        if (batch.length === 1 && isOwnPayment(error)) return ['made_and_awaited'];
        throw error;
      }
    },
  });
}

interface MadeRow {
  readonly id: string;
  readonly dispatched: boolean;
}

function isOwnPayment(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'payments_pkey';
}

function scopeText({ merchantId, livemode, path, key }: IdempotencyScope): string {
  return JSON.stringify([merchantId, livemode, path, key]);
}
