import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createDatabase } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { startServerProcess } from '../support/server-process.ts';
import { newPayment } from './create-payment.ts';
import type { Measure } from './table.ts';

const key = `sk_test_${'i'.repeat(32)}`;
const seconds = 60;
/** Seconds after the settlement in which caches fill and follow-up work ends. The treasury is checked after 30 s. */
const calmSeconds = 60;
/** Clock ticks of a process in a second. Linux reports times in them. */
const ticksPerSecond = 100;

/** The fields of a payment that are read. */
interface Seen {
  readonly id: string;
  readonly settlement: { readonly status: string };
}

/** What a server does once its only payment has settled: transactions, and the CPU time of it and of PostgreSQL. */
export async function benchIdle(folder: string): Promise<Measure[]> {
  const log = { info: () => undefined, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log });
  const settings = { PAY_DATA_DIR: folder, PAY_SECRET_KEY: key, PAY_LOG_REQUESTS: 'none', PAY_LOG_LEVEL: 'warn' };
  const server = await startServerProcess(settings);
  const database = createDatabase({ connection: postgres.connection, max: 1, silenceMs: 0 });
  await settleOne(server.url);
  await sleep(calmSeconds * 1_000);
  const pid = server.process.pid ?? 0;
  const idle = await growth(database.pool, pid);
  await server.stop();
  // PostgreSQL vacuums in transactions of its own, and each reading is one.
  const alone = await growth(database.pool, pid);
  await database.close();
  await postgres.release();
  const transactions = (idle.transactions - alone.transactions) / seconds;
  const share = (name: 'server' | 'postgres') => idle[name] / ticksPerSecond / seconds;
  return [
    rate('idle server, transactions', transactions, 2, each => `${each.toFixed(2)}/s`),
    rate('idle server, CPU', share('server'), 0.005, percent),
    rate('idle server, CPU of PostgreSQL', share('postgres'), 0.005, percent),
  ];
}

const percent = (share: number) => `${(100 * share).toFixed(2)} % of a core`;

function rate(name: string, value: number, most: number, show: (value: number) => string): Measure {
  return { name, value: show(value), target: `at most ${show(most)}`, met: value <= most };
}

/** What is done within `seconds`. */
async function growth(pool: pg.Pool, pid: number) {
  const before = await take(pool, pid);
  await sleep(seconds * 1_000);
  const after = await take(pool, pid);
  return {
    transactions: after.transactions - before.transactions,
    server: after.server - before.server,
    postgres: after.postgres - before.postgres,
  };
}

async function take(pool: pg.Pool, pid: number) {
  await pool.query('select pg_stat_force_next_flush()').catch(() => undefined);
  const { rows } = await pool.query(
    `select (xact_commit + xact_rollback)::int as transactions, pg_backend_pid() as backend
    from pg_stat_database where datname = current_database()`,
  );
  const postmaster = statOf(rows[0].backend)?.parent ?? 0;
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const own = processes.map(Number).filter(each => each === postmaster || statOf(each)?.parent === postmaster);
  return {
    transactions: rows[0].transactions as number,
    server: statOf(pid)?.ticks ?? 0,
    postgres: own.reduce((sum, each) => sum + (statOf(each)?.ticks ?? 0), statOf(postmaster)?.endedTicks ?? 0),
  };
}

/** The parent of a process, its CPU time, and that of its ended children. Null once the process has ended. */
function statOf(pid: number) {
  try {
    // The name in parentheses may contain spaces. The fields after it are counted from 3 (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const sum = (index: number) => Number(fields[index]) + Number(fields[index + 1]);
    return { parent: Number(fields[1]), ticks: sum(11), endedTicks: sum(13) };
  } catch {
    return null;
  }
}

async function settleOne(url: string): Promise<void> {
  const { id } = await api(url, 'POST', '/v1/payments', newPayment);
  await api(url, 'POST', `/v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
  for (;;) {
    const { settlement } = await api(url, 'GET', `/v1/payments/${id}`);
    if (settlement.status === 'settled') return;
    await sleep(500);
  }
}

async function api(url: string, method: string, path: string, body?: object): Promise<Seen> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(`${url}${path}`, body ? { method, headers, body: JSON.stringify(body) } : { headers });
  return (await answer.json()) as Seen;
}
