import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { benchBrowser } from './browser.ts';
import { benchBytes } from './bytes.ts';
import { loadBare, loadCreate, newPayment, readSample } from './create-payment.ts';
import { benchDashboard } from './dashboard.ts';
import { benchDocuments } from './documents.ts';
import { benchIdle } from './idle.ts';
import { benchIncoming } from './incoming-payments.ts';
import { benchFlow } from './payment.ts';
import { benchPayouts } from './payouts/payouts.ts';
import { benchPhone } from './phone-payments.ts';
import { benchRamps } from './ramps/ramps.ts';
import { benchLists } from './reads/lists.ts';
import { benchReminders } from './reminders.ts';
import { benchSettlement } from './settlement.ts';
import { benchSettling } from './settling.ts';
import { benchStellarLedger } from './stellar-ledger.ts';
import { type Measure, median, printTable } from './table.ts';

/**
 * Measures the performance targets and prints a table. `npm run bench`, or with names of `parts`, such as
 * `npm run bench create start`, only these parts. Exit code 1 when a target is missed.
 */

const key = `sk_test_${'b'.repeat(32)}`;
const rounds = 5;
const seconds = 3;

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pay-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}

function residentMegabytes(server: ServerProcess): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function createOne(server: ServerProcess): Promise<string> {
  const answer = await fetch(`${server.url}/v1/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'sample' },
    body: JSON.stringify(newPayment),
  });
  return ((await answer.json()) as { id: string }).id;
}

/**
 * Compares `POST /v1/payments` with bare `pg` inserting the same rows, in turns on one database. The service does not
 * log successful requests, since this process, which makes the load, would have to read the lines.
 */
async function benchCreate(): Promise<Measure[]> {
  return await withFolder(async folder => {
    const postgres = await startEmbeddedPostgres({
      dataDir: folder,
      log: { info: () => undefined, error: console.error },
    });
    const settings = {
      PAY_DATA_DIR: folder,
      PAY_SECRET_KEY: key,
      PAY_RATE_LIMIT: '1000000',
      PAY_LOG_REQUESTS: 'errors',
    };
    const server = await startServerProcess(settings);
    const database = createDatabase({ connection: postgres.connection, max: 1 });
    const sample = await readSample(database.pool, await createOne(server));
    await loadCreate(server.url, key, 2);
    await loadBare(postgres.connection, sample, 2);
    const results = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await loadCreate(server.url, key, seconds);
      const bare = await loadBare(postgres.connection, sample, seconds);
      console.log(
        `  round ${round + 1}: ${ours.perSecond.toFixed(0)}/s p99 ${ours.p99.toFixed(1)} ms, bare ${bare.perSecond.toFixed(0)}/s p99 ${bare.p99.toFixed(1)} ms`,
      );
      results.push({ ours, bare });
    }
    const counts = await database.pool.query(
      'select (select count(*) from payments) = (select count(*) from events) and (select count(*) from payments) = (select count(*) from idempotency_keys) as equal',
    );
    await database.close();
    await server.stop();
    await postgres.release();
    const rate = median(results.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
    const tail = median(results.map(({ ours, bare }) => ours.p99 / bare.p99));
    const errors = results.reduce((sum, { ours, bare }) => sum + ours.errors + bare.errors, 0);
    return [
      {
        name: 'create payment, rate against bare pg',
        value: `${rate.toFixed(2)}×`,
        target: 'at least 1.0× (moonshot 1.35×)',
        met: rate >= 1,
      },
      {
        name: 'create payment, p99 against bare pg',
        value: `${tail.toFixed(2)}×`,
        target: 'at most 2×',
        met: tail <= 2,
      },
      { name: 'create payment, errors', value: String(errors), target: '0', met: errors === 0 },
      {
        name: 'create payment, equal rows in three tables',
        value: String(counts.rows[0]?.equal),
        target: 'true',
        met: counts.rows[0]?.equal === true,
      },
    ];
  });
}

/** Measures the time from the start of the process to its `ready` line, and its memory after 10,000 payments. */
async function benchStart(): Promise<Measure[]> {
  return await withFolder(async folder => {
    const settings = { PAY_DATA_DIR: folder, PAY_SECRET_KEY: key, PAY_RATE_LIMIT: '1000000' };
    const first = await startServerProcess(settings);
    await first.stop();
    const later: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const server = await startServerProcess(settings);
      later.push(server.readyMs);
      await server.stop();
    }
    const server = await startServerProcess(settings);
    let made = 0;
    while (made < 10_000) made += (await loadCreate(server.url, key, 1)).requests;
    const weight = residentMegabytes(server);
    await server.stop();
    const again = median(later);
    return [
      {
        name: 'first start to ready',
        value: `${(first.readyMs / 1000).toFixed(2)} s`,
        target: 'at most 5 s',
        met: first.readyMs <= 5_000,
      },
      {
        name: 'start to ready, existing database',
        value: `${(again / 1000).toFixed(2)} s`,
        target: 'at most 1 s',
        met: again <= 1_000,
      },
      {
        name: `resident memory after ${made} payments`,
        value: `${weight.toFixed(0)} MB`,
        target: 'at most 150 MB',
        met: weight <= 150,
      },
    ];
  });
}

const parts: Readonly<Record<string, () => Promise<Measure[]>>> = {
  create: benchCreate,
  payment: () => withFolder(folder => benchFlow(folder, 'payment')),
  phone: () => withFolder(benchPhone),
  credit: () => withFolder(folder => benchFlow(folder, 'credit')),
  refund: () => withFolder(folder => benchFlow(folder, 'refund')),
  invoice: () => withFolder(folder => benchFlow(folder, 'invoice')),
  start: benchStart,
  stellar: () => withFolder(benchStellarLedger),
  settlement: () => withFolder(benchSettlement),
  settling: () => benchSettling(withFolder),
  idle: () => withFolder(benchIdle),
  incoming: () => withFolder(benchIncoming),
  reminders: () => withFolder(benchReminders),
  lists: () => withFolder(benchLists),
  payouts: () => benchPayouts(withFolder),
  ramps: () => withFolder(benchRamps),
  documents: benchDocuments,
  browser: benchBrowser,
  dashboard: () => withFolder(benchDashboard),
  bytes: benchBytes,
};

const build = spawnSync(process.execPath, ['src/build/build.ts'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
const wanted = process.argv.slice(2);
const measures: Measure[] = [];
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) measures.push(...(await part()));
}
printTable('Figures', measures);
process.exitCode = measures.every(measure => measure.met) ? 0 : 1;
