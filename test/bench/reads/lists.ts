import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type pg from 'pg';
import { createDatabase } from '../../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../../src/server/platform/db/embedded/embedded-postgres.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { getText, openLine } from '../http-load.ts';
import { type Measure, median } from '../table.ts';

const key = `sk_test_${'l'.repeat(32)}`;
const reads = 25;
/** The merchant's number of payments. `BENCH_PAYMENTS` sets a smaller number for a quick run. */
const payments = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000);

/** A list over HTTP, and the condition of the SQL that reads the same rows. Default: payments. */
interface List {
  readonly name: string;
  readonly path?: string;
  readonly table?: string;
  readonly query: Readonly<Record<string, string>>;
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The fields of a payment that the lists filter by. */
interface Listed {
  readonly id: string;
  readonly reference: string;
  readonly customer: { readonly id: string };
  readonly metadata: { readonly order: string };
}

/** Each filter of payments with a usual value. Filters with rare and frequent values appear with both. */
function listsOfPayments({ reference, customer, metadata }: Listed): List[] {
  const equal = (column: string, value: string) => ({
    name: `${column} ${value}`,
    query: { [column]: value },
    sql: `${column} = $3`,
    values: [value],
  });
  return [
    { name: 'newest', query: {}, sql: 'true', values: [] },
    ...['pending', 'completed', 'refunded'].map(value => equal('status', value)),
    ...['paid', 'canceled', 'authorized'].map(value => equal('phase', value)),
    ...['card', 'crypto'].map(value => equal('method', value)),
    ...['EUR', 'CHF'].map(value => equal('currency', value)),
    equal('exception', 'overpaid'),
    ...['none', 'pending', 'submitted', 'settled', 'failed'].map(value => equal('settlement_status', value)),
    equal('reference', reference),
    { name: 'customer', query: { customer: customer.id }, sql: 'customer_id = $3', values: [customer.id] },
    {
      name: 'metadata key',
      query: { 'metadata[order]': metadata.order },
      sql: 'metadata @> $3::jsonb',
      values: [JSON.stringify({ order: metadata.order })],
    },
    {
      name: 'amount range',
      query: { 'amount[gte]': '12000', 'amount[lte]': '12100' },
      sql: 'amount between $3 and $4',
      values: [12_000, 12_100],
    },
    {
      name: 'requires a decision',
      query: { requires_decision: 'true' },
      values: [],
      sql: `exception in ('underpaid', 'overpaid', 'paid_late')
        and (exception = 'paid_late' or ((status <> 'pending' or phase in ('partially_paid', 'authorized'))
        and (amount_suspense > 0 or (amount_direct > 0 and completed_at is null))))`,
    },
    {
      name: 'payment link',
      query: { payment_link: 'plink_unknown' },
      sql: "owner_type = 'payment_link' and owner_id = $3",
      values: ['plink_unknown'],
    },
  ];
}

/** Lists of objects that come with payments, each with filters by rare and frequent values. */
function otherLists(): List[] {
  const list = (path: string, table: string, column?: string, value?: string): List => ({
    name: [path, column, value].filter(Boolean).join(' '),
    path,
    table,
    ...(column === undefined || value === undefined
      ? { query: {}, sql: 'true', values: [] }
      : { query: { [column]: value }, sql: `${column} = $3`, values: [value] }),
  });
  return [
    ...[list('events', 'events'), list('events', 'events', 'type', 'payment.completed')],
    ...[list('events', 'events', 'type', 'payout.failed'), list('refunds', 'refunds')],
    ...[list('transfers', 'transfers'), list('transfers', 'transfers', 'status', 'unmatched')],
    ...[list('invoices', 'invoices'), list('invoices', 'invoices', 'status', 'overdue')],
    ...[list('invoices', 'invoices', 'currency', 'CHF'), list('mails', 'mails')],
    ...[list('payment-links', 'payment_links'), list('payment-links', 'payment_links', 'currency', 'CHF')],
    list('balance/entries', 'merchant_entries'),
  ];
}

/**
 * Reads by a merchant with a million payments: the overview of the dashboard's home, lists, search and the balance. One
 * call at a time. Each list is compared with bare `pg` reading the same rows.
 */
export async function benchLists(folder: string): Promise<Measure[]> {
  const seed = join(import.meta.dirname, '../../seed/seed.ts');
  const { status } = spawnSync(process.execPath, [seed, '--payments', String(payments)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PAY_DATA_DIR: folder },
  });
  if (status !== 0) throw new Error('the seed failed');
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: { info: () => undefined, error: console.error },
  });
  const server = await startServerProcess({
    PAY_DATA_DIR: folder,
    PAY_SECRET_KEY: key,
    PAY_RATE_LIMIT: '0',
    PAY_LOG_REQUESTS: 'errors',
  });
  const database = createDatabase({ connection: postgres.connection, max: 1 });
  try {
    return await measureReads(server.url, database.pool);
  } finally {
    await database.close();
    await server.stop();
    await postgres.release();
  }
}

async function measureReads(url: string, pool: pg.Pool): Promise<Measure[]> {
  const { hostname: host, port } = new URL(url);
  const line = await openLine({ host, port: Number(port) });
  // Not `fetch`, whose own time would count as time of the service.
  const get = async (path: string): Promise<Buffer> => {
    const answer = await line.exchange(getText(url, key, path));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`);
    return answer.body;
  };
  const { data } = JSON.parse((await get('/v1/payments?limit=100')).toString()) as { data: Listed[] };
  const [payment] = data.filter(({ metadata }) => metadata.order !== undefined);
  if (payment === undefined) throw new Error('no seeded payment is listed');
  const { rows } = await pool.query('select merchant_id from payments where id = $1', [payment.id]);
  const results = [];
  // The first calls compile the code of the service.
  for (let call = 0; call < 200; call++) await get('/v1/payments?limit=25');
  for (const list of [...listsOfPayments(payment), ...otherLists()]) {
    const { name, query, sql, values, path = 'payments', table = 'payments' } = list;
    const text = `select * from ${table} where merchant_id = $1 and livemode = $2 and ${sql}
      order by created_at desc, id desc limit 26`;
    const [ours = 0, bare = 0] = await timesOf(
      () => get(`/v1/${path}?${new URLSearchParams({ limit: '25', ...query })}`),
      () => pool.query(text, [rows[0].merchant_id, false, ...values]),
    );
    console.log(`  ${name}: ${ours.toFixed(1)} ms, bare ${bare.toFixed(1)} ms`);
    results.push({ name, ours, bare });
  }
  const overview = await timeOf(() => get('/v1/reports/overview'));
  const search = await timeOf(() => get(`/v1/search?${new URLSearchParams({ q: payment.reference })}`));
  const balance = await timeOf(() => get('/v1/balance'));
  line.close();
  return measuresOf(results, { overview, search, balance });
}

async function timeOf(read: () => Promise<unknown>): Promise<number> {
  const [time = 0] = await timesOf(read);
  return time;
}

/** The median time of each read. They take turns, so that a busy machine slows all of them. */
async function timesOf(...timed: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = timed.map((): number[] => []);
  for (const read of timed) await read();
  for (let count = 0; count < reads; count++) {
    for (const [index, read] of timed.entries()) {
      const begun = performance.now();
      await read();
      times[index]?.push(performance.now() - begun);
    }
  }
  return times.map(median);
}

function measuresOf(
  lists: readonly { readonly name: string; readonly ours: number; readonly bare: number }[],
  { overview, search, balance }: { readonly overview: number; readonly search: number; readonly balance: number },
): Measure[] {
  const slowest = Math.max(...lists.map(({ ours }) => ours));
  const ratios = lists.map(({ name, ours, bare }) => ({ name, ratio: ours / bare }));
  const worst = ratios.reduce((most, each) => (each.ratio > most.ratio ? each : most));
  const line = (name: string, value: string, target: string, met: boolean) => ({
    name: `${name}, of ${payments} payments`,
    value,
    target,
    met,
  });
  const milliseconds = (value: number) => `${value.toFixed(1)} ms`;
  return [
    line('overview of the dashboard', milliseconds(overview), 'under 200 ms', overview < 200),
    line('slowest list by one filter', milliseconds(slowest), 'under 50 ms', slowest < 50),
    line(`lists, worst against bare pg (${worst.name})`, `${worst.ratio.toFixed(1)}×`, 'at most 3×', worst.ratio <= 3),
    line('balance', milliseconds(balance), 'under 50 ms', balance < 50),
    line('search', milliseconds(search), 'under 50 ms', search < 50),
  ];
}
