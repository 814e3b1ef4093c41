import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from '../../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../../src/server/platform/db/embedded/embedded-postgres.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { summary } from '../http-load.ts';
import { type Measure, median } from '../table.ts';
import { copyIn, copyOut } from './copy.ts';
import { api, fund, key, many, mixedRows } from './rows.ts';

const rounds = 5;
/** The pause between two requests of the other client, in milliseconds. */
const paceMs = 5;

/** Measurements of one round. Times are milliseconds, and memory is megabytes. */
interface Round {
  readonly ours: number;
  readonly bare: number;
  readonly growth: number;
}

/**
 * Accepts 10,000 payouts in a request. Compares the time with a bare COPY of the same rows into copies of the tables.
 * Then accepts as many while another client creates payments. The server runs no sweeps, so sending does not disturb
 * the next round.
 */
export async function benchAcceptance(folder: string): Promise<Measure[]> {
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: { info: () => undefined, error: console.error },
  });
  const settings = { PAY_DATA_DIR: folder, PAY_SECRET_KEY: key, PAY_RATE_LIMIT: '0', PAY_ROLE: 'api' };
  const server = await startServerProcess({ ...settings, PAY_LOG_REQUESTS: 'none' });
  const database = createDatabase({ connection: postgres.connection, max: 1, silenceMs: 0 });
  await fund(server.url, 1_000_000_000_00);
  await copyTables(database);
  await acceptOnce(server, database);
  const alone = await others(server, sleep(5_000));
  const results: Round[] = [];
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    results.push(await acceptOnce(server, database));
    const { ours, bare, growth } = results.at(-1) as Round;
    console.log(
      `  round ${round + 1}: ${ours.toFixed(0)} ms, COPY ${bare.toFixed(0)} ms, memory ${growth.toFixed(0)} MB`,
    );
  }
  for (let round = 0; round < rounds; round++) await acceptOnce(server, database, latencies);
  const page = await timePages(server.url);
  await database.close();
  await server.stop();
  await postgres.release();
  return measuresOf(results, [summary(alone, 0, 1).p99, summary(latencies, 0, 1).p99], page);
}

function measuresOf(results: readonly Round[], [alone, meanwhile]: readonly [number, number], page: number): Measure[] {
  const ratio = median(results.map(({ ours, bare }) => ours / bare));
  const took = median(results.map(({ ours }) => ours));
  const growth = Math.max(...results.map(one => one.growth));
  return [
    {
      name: `${many} payouts accepted, against a bare COPY of the same rows`,
      value: `${ratio.toFixed(2)}×`,
      target: 'at most 2.5× (moonshot 1.5×)',
      met: ratio <= 2.5,
    },
    {
      name: `${many} payouts accepted, from the first byte to the answer`,
      value: `${(took / 1000).toFixed(2)} s`,
      target: 'under 3 s',
      met: took < 3_000,
    },
    {
      name: 'growth of resident memory meanwhile',
      value: `${growth.toFixed(0)} MB`,
      target: 'at most 100 MB',
      met: growth <= 100,
    },
    {
      name: `p99 of other requests meanwhile (alone: ${alone.toFixed(1)} ms)`,
      value: `${meanwhile.toFixed(1)} ms`,
      target: 'at most twice as long',
      met: meanwhile <= 2 * alone,
    },
    { name: 'page of 100 payouts of a batch', value: `${page.toFixed(1)} ms`, target: 'under 20 ms', met: page < 20 },
  ];
}

/** Sends one request, then copies its rows. With `latencies`, also times the requests of another client. */
async function acceptOnce(server: ServerProcess, database: Database, latencies?: number[]): Promise<Round> {
  const body = JSON.stringify({ payouts: mixedRows(many) });
  const before = residentMegabytes(server);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes(server));
  }, 10);
  const begun = performance.now();
  let ours = 0;
  const accepting = api<{ id: string }>(server.url, 'POST /v1/payouts/bulk', body).finally(() => {
    ours = performance.now() - begun;
  });
  const seen = latencies === undefined ? [] : await others(server, accepting);
  const { id } = await accepting;
  clearInterval(watch);
  latencies?.push(...seen);
  return { ours, growth: most - before, bare: await copyRows(database, id) };
}

/** Latencies in milliseconds of a client that creates payments one after another until the work is done. */
async function others({ url }: ServerProcess, work: Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const customer = { email: 'ada@example.com' };
  const payment = { amount: 12_840, currency: 'EUR', settlement_asset: 'USDC', settlement_network: 'stellar' };
  while (!isOver) {
    const begun = performance.now();
    await api(url, 'POST /v1/payments', { ...payment, payment_methods: ['card'], customer });
    latencies.push(performance.now() - begun);
    await sleep(paceMs);
  }
  return latencies;
}

function residentMegabytes(server: ServerProcess): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The rows that the service writes when it accepts a batch, by table. */
const written: Readonly<Record<string, string>> = {
  payouts: "batch_id = '$'",
  events: "resource_id in (select id from payouts where batch_id = '$') or resource_id = '$'",
  payout_batches: "id = '$'",
  ledger_transactions: "resource_id = '$'",
  ledger_entries: "transaction_id in (select id from ledger_transactions where resource_id = '$')",
  idempotency_keys: "resource_id = '$'",
};

/** Makes empty copies of the tables, with their checks and indexes. */
async function copyTables({ pool }: Database): Promise<void> {
  await pool.query('create schema bare');
  for (const table of Object.keys(written))
    await pool.query(`create table bare.${table} (like ${table} including all)`);
}

/** Milliseconds of a transaction that only copies (COPY) a batch's rows into the copied tables. */
async function copyRows({ pool }: Database, batchId: string): Promise<number> {
  const client = await pool.connect();
  const rows = new Map<string, Buffer>();
  for (const [table, condition] of Object.entries(written)) {
    const chosen = `select * from ${table} where ${condition.replaceAll('$', batchId)}`;
    rows.set(table, await copyOut(client, `copy (${chosen}) to stdout`));
  }
  const begun = performance.now();
  await client.query('begin');
  for (const [table, text] of rows) await copyIn(client, `copy bare.${table} from stdin`, text);
  await client.query('commit');
  const took = performance.now() - begun;
  client.release();
  return took;
}

/** The median time to read one page of a batch's payouts, in milliseconds. */
async function timePages(url: string): Promise<number> {
  const { data } = await api<{ data: { id: string }[] }>(url, 'GET /v1/payout-batches?limit=100');
  const times: number[] = [];
  for (const { id } of data) {
    let after = '';
    for (let page = 0; page < 10; page++) {
      const begun = performance.now();
      const read = await api<{ data: { id: string }[] }>(url, `GET /v1/payout-batches/${id}/payouts?limit=100${after}`);
      times.push(performance.now() - begun);
      after = `&starting_after=${read.data.at(-1)?.id}`;
    }
  }
  return median(times);
}
