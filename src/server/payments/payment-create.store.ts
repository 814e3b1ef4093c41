import type pg from 'pg';
import { createGroupWriter, type GroupWriter } from '../db/group-writer.ts';

/** The rows of one new payment, keyed by column; JSON.stringify-able (amounts as decimal text). */
export interface NewPaymentRows {
  readonly payment: Readonly<Record<string, unknown>>;
  readonly quote: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
  /** The remembered answer, when the request carried an Idempotency-Key. */
  readonly idempotency: Readonly<Record<string, unknown>> | null;
}

/**
 * One statement writes a batch of payments with their quotes, `payment.created` events and remembered answers. The
 * idempotency row is the gate: a payment whose key is taken (and not expired) is not written, nor anything of it.
 * It expires by the database's clock, by which it is read. Events of merchants without an endpoint need no dispatch
 * and are born dispatched.
 */
const insertBatch = {
  name: 'payments_insert_batch',
  text: `
    with remembered as (
      insert into idempotency_keys
        (merchant_id, livemode, path, key, fingerprint, answer_status, answer_location, answer_body, resource_id,
         locked_until, expires_at)
      select merchant_id, livemode, path, key, fingerprint, answer_status, answer_location, answer_body, resource_id,
        now(), now() + interval '24 hours'
      from json_populate_recordset(null::idempotency_keys, $1)
      on conflict (merchant_id, livemode, path, key) do update set
        fingerprint = excluded.fingerprint, answer_status = excluded.answer_status,
        answer_location = excluded.answer_location, answer_body = excluded.answer_body,
        resource_id = excluded.resource_id, locked_until = excluded.locked_until,
        expires_at = excluded.expires_at, created_at = excluded.created_at
      where idempotency_keys.expires_at <= now()
      returning resource_id
    ), made as (
      insert into payments
      select p.* from json_populate_recordset(null::payments, $2) p
      where p.id <> all ($5::text[]) or p.id in (select resource_id from remembered)
      returning id
    ), quoted as (
      insert into quotes
      select q.* from json_populate_recordset(null::quotes, $3) q where q.payment_id in (select id from made)
    ), told as (
      insert into events
        (merchant_id, id, livemode, type, resource_id, sequence, object, api_version, created_at, dispatched)
      select e.merchant_id, e.id, e.livemode, e.type, e.resource_id, e.sequence, e.object, e.api_version, e.created_at,
        not exists (
          select from webhook_endpoints w
          where w.merchant_id = e.merchant_id and w.livemode = e.livemode and w.status = 'enabled')
      from json_populate_recordset(null::events, $4) e where e.resource_id in (select id from made)
      returning resource_id, dispatched
    )
    select resource_id as id, dispatched from told`,
};

/** What became of a new payment: written (with an event to dispatch, or none), or not, since its key was taken. */
export type Written = 'made' | 'made_and_awaited' | 'key_taken';

/** Writes new payments; many that arrive together become one commit. */
export function createPaymentWriter(pool: pg.Pool): GroupWriter<NewPaymentRows, Written> {
  return createGroupWriter<NewPaymentRows, Written>({
    maxBatch: 128,
    maxParallel: 2,
    keyOf: rows => (rows.idempotency === null ? null : idempotencyText(rows.idempotency)),
    write: async batch => {
      try {
        const { rows } = await pool.query<MadeRow>({ ...insertBatch, values: batchValues(batch) });
        const made = new Map(rows.map(row => [row.id, row.dispatched ? 'made' : 'made_and_awaited'] as const));
        return batch.map(item => made.get(item.payment['id'] as string) ?? 'key_taken');
      } catch (error) {
        // A lone retry that meets its own row: the first try had committed before its answer was lost.
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

function batchValues(batch: readonly NewPaymentRows[]): unknown[] {
  const remembered = batch.flatMap(rows => (rows.idempotency === null ? [] : [rows.idempotency]));
  return [
    JSON.stringify(remembered),
    JSON.stringify(batch.map(rows => rows.payment)),
    JSON.stringify(batch.map(rows => rows.quote)),
    JSON.stringify(batch.map(rows => rows.event)),
    remembered.map(row => row['resource_id']),
  ];
}

function isOwnPayment(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'payments_pkey';
}

function idempotencyText(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([row['merchant_id'], row['livemode'], row['path'], row['key']]);
}
