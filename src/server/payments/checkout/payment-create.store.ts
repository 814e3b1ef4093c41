import { sql } from 'kysely';
import { systemClock } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { createGroupWriter, type GroupWriter } from '../../platform/db/group-writer.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { columnList, columnTypes, rowSource } from '../../platform/db/rows.ts';
import { recordCreations } from '../../platform/events/outbox.ts';
import { type IdempotencyScope, rememberNew } from '../../platform/http/idempotency/idempotency.store.ts';
import type { RenderedAnswer } from '../../platform/http/idempotency/idempotency.ts';
import type { PaymentRow } from '../tables.ts';

/** A new payment, its event and the response to store. */
export interface NewPayment {
  readonly row: PaymentRow;
  readonly event: { readonly id: string; readonly apiVersion: string; readonly object: string };
  /** The response without the client secret. Null if the request has no Idempotency-Key. */
  readonly remembered: { readonly scope: IdempotencyScope; readonly answer: RenderedAnswer } | null;
}

/** The columns of `payments` with fixed defaults in a new payment. */
export const defaultColumns = {
  exception: null,
  amount_received: 0n,
  amount_refunded: 0n,
  amount_refunding: 0n,
  received: null,
  amount_suspense: 0n,
  amount_direct: 0n,
  quoted_at: null,
  settlement_status: 'none',
  settlement_tx_hash: null,
  settlement_ledger: null,
  settlement_amount: 0n,
  settlement_delivery: null,
  settlement_failure_code: null,
  settlement_failure_message: null,
  settlement_count: 0,
  settlement_tries: 0,
  settlement_due_at: null,
  settlement_id: null,
  settlement_payout: null,
  settling_amount: 0n,
  amount_settling: 0n,
  amount_settled: 0n,
  amount_receivable: 0n,
  amount_available: 0n,
  method: null,
  card: null,
  mobile_money: null,
  bank_rail: null,
  next_action: null,
  open_prompt: null,
  last_attempt: null,
  declined_attempts: 0,
  failure_code: null,
  failure_message: null,
  amount_disputed: 0n,
  version: 1,
  event_sequence: 1,
  completed_at: null,
} as const;

/** Columns of the event and of the stored response. JSON is passed as its rendered text. */
const otherTypes = {
  event_id: 'text',
  api_version: 'text',
  object: 'text',
  path: 'text',
  key: 'text',
  fingerprint: 'bytea',
  caller: 'text',
  answer_status: 'int4',
  answer_location: 'text',
  answer_text: 'text',
};

function columnsOf({ row, event, remembered }: NewPayment) {
  const { scope, answer } = remembered ?? {};
  return {
    ...row,
    event_id: event.id,
    api_version: event.apiVersion,
    object: event.object,
    path: scope?.path,
    key: scope?.key,
    fingerprint: scope?.fingerprint,
    caller: scope?.caller,
    answer_status: answer?.status,
    answer_location: answer?.location,
    answer_text: answer?.text,
  };
}

/**
 * Inserts payments with their events and stored responses in one statement. Skips payments whose idempotency key is
 * already used. Events of merchants without webhook endpoints are stored as dispatched.
 */
async function insertBatch(db: Db, batch: readonly NewPayment[]): Promise<readonly MadeRow[]> {
  const names = Object.keys(batch[0]?.row ?? {}).filter(name => !(name in defaultColumns));
  const types = { ...(await columnTypes(db, 'payments', names)), ...otherTypes };
  const columns = columnList(names);
  const { rows } = await executePrepared(
    db,
    sql<MadeRow>`
    with new as materialized (
      select * from ${rowSource(types, batch.map(columnsOf))} as n
    ), ${rememberNew(systemClock.now())}, made as (
      insert into payments (${columns})
      select ${columns} from new where key is null or id in (select resource_id from remembered)
      returning id
    ), ${recordCreations('payment.created', 'made')}
    select resource_id as id, dispatched from recorded`,
  );
  return rows;
}

/**
 * `created_with_dispatch`: inserted, with an event to dispatch. `key_taken`: not inserted, because the Idempotency-Key
 * is already used.
 */
export type Written = 'created' | 'created_with_dispatch' | 'key_taken';

/** Inserts new payments. Concurrent payments share one commit. */
export function createPaymentWriter(db: Db): GroupWriter<NewPayment, Written> {
  return createGroupWriter<NewPayment, Written>({
    maxBatch: 128,
    maxParallel: 2,
    keyOf: ({ remembered }) => (remembered === null ? null : scopeText(remembered.scope)),
    write: async batch => {
      try {
        const rows = await insertBatch(db, batch);
        const made = new Map(rows.map(row => [row.id, row.dispatched ? 'created' : 'created_with_dispatch'] as const));
        return batch.map(({ row }) => made.get(row.id) ?? 'key_taken');
      } catch (error) {
        // The first insert was committed, but its response was lost. This repetition conflicts with its row.
        if (batch.length === 1 && isOwnPayment(error)) return ['created_with_dispatch'];
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
