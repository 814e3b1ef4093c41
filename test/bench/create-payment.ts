import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { CreatePayment } from '../../src/api/payment.ts';
import { newId } from '../../src/core/id.ts';
import { type Exchange, type LoadResult, postText, runLoad, summary } from './http-load.ts';

const connections = 32;

/** The body of a typical payment. */
export const newPayment: CreatePayment = {
  amount: 12_840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer'],
  customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
  metadata: { order: 'A-1042' },
};

/** Sends `POST /v1/payments` over 32 connections, each with a fresh Idempotency-Key. */
export async function loadCreate(url: string, key: string, seconds: number): Promise<LoadResult> {
  const { hostname: host, port } = new URL(url);
  const create = postText(url, key, '/v1/payments', newPayment);
  const turn = async (exchange: Exchange) => (await exchange(create())).status === 201;
  return await runLoad({ host, port: Number(port), connections, seconds, turn });
}

/** The rows of one payment that the service created. */
export type SampleRows = Readonly<Record<'idempotency_keys' | 'payments' | 'events', Record<string, unknown>>>;

/** Reads the rows of a payment that the service created. `loadBare` inserts copies of these rows. */
export async function readSample(pool: pg.Pool, paymentId: string): Promise<SampleRows> {
  const one = async (text: string): Promise<Record<string, unknown>> =>
    ((await pool.query(text, [paymentId])).rows[0] as { row: Record<string, unknown> }).row;
  return {
    idempotency_keys: await one('select to_jsonb(t) as row from idempotency_keys t where resource_id = $1'),
    payments: await one('select to_jsonb(t) as row from payments t where id = $1'),
    events: await one('select to_jsonb(t) as row from events t where resource_id = $1'),
  };
}

/**
 * The baseline: inserts the same three rows by one prepared statement and one commit, over 32 connections of bare `pg`.
 * No HTTP, no validation, no authentication, no rendering.
 */
export async function loadBare(connection: pg.PoolConfig, sample: SampleRows, seconds: number): Promise<LoadResult> {
  const pool = new pg.Pool({ ...connection, max: connections });
  const statement = bareStatement(sample);
  const latencies: number[] = [];
  let errors = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await pool.connect();
      while (performance.now() < until) {
        const begun = performance.now();
        const result = await client.query({ name: 'bare', text: statement.text, values: statement.values() });
        latencies.push(performance.now() - begun);
        if (result.rowCount !== 1) errors++;
      }
      client.release();
    }),
  );
  const measured = summary(latencies, errors, (performance.now() - started) / 1000);
  await pool.end();
  return measured;
}

function bareStatement(sample: SampleRows): { text: string; values: () => unknown[] } {
  const parameters: unknown[] = [];
  const fresh: { index: number; make: () => string }[] = [];
  const insert = (table: keyof SampleRows, ids: Readonly<Record<string, number>>) => {
    const row = sample[table];
    const columns = Object.keys(row);
    const places = columns.map(column => {
      parameters.push(plain(row[column]));
      if (column in ids) fresh.push({ index: parameters.length - 1, make: () => made[ids[column] ?? 0] ?? '' });
      return `$${parameters.length}`;
    });
    return `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`;
  };
  let made: string[] = [];
  // Positions: 0 payment, 1 quote, 2 event, 3 key.
  const text = `with k as (${insert('idempotency_keys', { key: 3, resource_id: 0 })} on conflict do nothing returning resource_id),
    p as (${insert('payments', { id: 0, quote_id: 1 })} returning id)
    ${insert('events', { id: 2, resource_id: 0 })}`;
  return {
    text,
    values: () => {
      made = [newId('payment'), newId('quote'), newId('event'), randomUUID()];
      const values = [...parameters];
      for (const { index, make } of fresh) values[index] = make();
      return values;
    },
  };
}

function plain(value: unknown): unknown {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : value;
}
