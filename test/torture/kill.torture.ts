import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../src/api/payment.ts';
import type { Refund } from '../../src/api/refund.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { startServerProcess } from '../support/server-process.ts';
import { type Acknowledged, call, type Reply, secretKey, startLoad, type Target } from './load.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

const random = seeded(seed);
/** Number of kills without a time limit. With a limit, a quarter of the round's seconds is used. */
const thorough = 20;
let kills = 0;
let dataDir: string;
let target: Target;
let load: ReturnType<typeof startLoad>;
let postgres: EmbeddedPostgres;
let database: Database;
/** The service's answers while its database was killed and restarted. */
const outage: { readonly reply: Reply; readonly ms: number }[] = [];

const start = () =>
  startServerProcess({
    PAY_DATA_DIR: dataDir,
    PAY_SECRET_KEY: secretKey,
    PAY_LOG_LEVEL: 'warn',
    PAY_LOG_REQUESTS: 'none',
  });
const get = async (path: string): Promise<Reply> => await call(target.server.url, `GET ${path}`);
const query = async (sql: string): Promise<pg.QueryResultRow[]> => (await database.pool.query(sql)).rows;

beforeAll(async () => {
  dataDir = makeDataFolder('pay-torture-');
  target = { server: await start() };
  load = startLoad(target, 6, random);
  const part = beginPart(0.25);
  while (roundSeconds === null ? kills < thorough : !part.isOver()) {
    await sleep(300 + random() * 900);
    await target.server.stop('SIGKILL');
    target.server = await start();
    if (++kills === 3) await killDatabase();
  }
  if (kills < 3) await killDatabase();
  await sleep(500);
  // A busy machine answers few calls between two kills.
  for (let tries = 0; tries < 200 && !isEnough(); tries++) await sleep(100);
  await load.stop();
  const { created, confirmed, refunded } = answered();
  report(
    `${created} payments, ${confirmed} confirmed, ${refunded} refunded, ${kills} kills of the service, one of its database`,
  );
  // Charges of a killed server are checked within half a minute. Slow captures and refunds take as long.
  for (let i = 0; i < 3; i++) await call(target.server.url, 'POST /v1/test_helpers/clock', { advance: 'PT1M' });
  postgres = await startEmbeddedPostgres({ dataDir, log: console });
  database = createDatabase({ connection: postgres.connection, max: 2, silenceMs: 0 });
}, 240_000);

afterAll(async () => {
  await database?.close();
  await postgres?.release();
  await target?.server.stop();
  await rm(dataDir, { recursive: true });
});

async function killDatabase(): Promise<void> {
  const pid = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
  process.kill(pid, 'SIGKILL');
  const until = performance.now() + 3_000;
  const probe = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      outage.push({ reply: await get('/v1/payments?limit=1'), ms: performance.now() - began });
      await sleep(20);
    }
  };
  await Promise.all(Array.from({ length: 4 }, probe));
}

const calls = (path: RegExp) => load.acknowledged.filter(({ route }) => path.test(route));
const parsed = <T>({ text }: Acknowledged): T => JSON.parse(text) as T;

/** Number of successful calls of each kind. */
const answered = () => ({
  created: calls(/payments$/).length,
  confirmed: calls(/confirm$/).filter(({ status }) => status === 200).length,
  refunded: calls(/refunds$/).filter(({ status }) => status === 201).length,
});

/** Whether there were enough calls for a meaningful result. */
function isEnough(): boolean {
  const { created, confirmed, refunded } = answered();
  return created > 30 && confirmed > 30 && refunded > 5;
}

const statusRank = { pending: 0, failed: 1, completed: 1, refunded: 2 };

describe('a service that is killed repeatedly under load, once with its database', () => {
  it('has answered enough requests for a result', () => {
    expect([answered(), isEnough()]).toEqual([answered(), true]);
  });

  it('refuses requests only because of a state, and never fails', () => {
    const odd = load.acknowledged.filter(({ status }) => ![200, 201, 402].includes(status));
    expect(odd.map(({ route, text }) => [route, text])).toEqual([]);
  });

  it('reports within five seconds that the database is missing, and reconnects automatically', () => {
    const answers = outage.map(({ reply }) => `${reply.status} ${reply.body?.error?.code ?? reply.failure ?? 'fine'}`);
    expect([...new Set(answers)].sort()).toEqual(['200 fine', '503 unavailable']);
    expect(outage.filter(({ reply }) => reply.status === 503 && !reply.headers.get('retry-after'))).toEqual([]);
    expect(Math.max(...outage.map(({ ms }) => ms))).toBeLessThan(5_000);
    expect(answers.at(-1)).toBe('200 fine');
  });

  it('has every acknowledged payment, in the acknowledged state or a later one', async () => {
    const known = new Map<string, Payment>();
    for (let after = ''; ; ) {
      const { body } = await get(`/v1/payments?limit=100${after}`);
      for (const payment of body.data as Payment[]) known.set(payment.id, payment);
      if (!body.has_more) break;
      after = `&starting_after=${body.data.at(-1).id}`;
    }
    const lost = [...calls(/payments$/), ...calls(/(confirm|capture|cancel)$/)]
      .filter(({ status }) => status < 300)
      .map(answer => parsed<Payment>(answer))
      .filter(payment => {
        const now = known.get(payment.id);
        return (
          !now || now.amount_received < payment.amount_received || statusRank[now.status] < statusRank[payment.status]
        );
      });
    expect(lost).toEqual([]);
  });

  it('has every acknowledged refund, in a final state', async () => {
    const rows = await query('select id, amount::int, status from refunds');
    const known = new Map(rows.map(row => [row['id'], row]));
    const refunds = calls(/refunds$/).map(answer => parsed<Refund>(answer));
    expect(refunds.filter(({ id, amount }) => known.get(id)?.['amount'] !== amount)).toEqual([]);
    expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
  });

  it('answers each repeated call with its key as the first time', async () => {
    const repeated = await inParallel(8, load.acknowledged, async ({ route, key, body, status, text }) => {
      const again = await call(target.server.url, route, body, key);
      const same =
        again.status === status && again.text === text && again.headers.get('idempotent-replayed') === 'true';
      return same ? [] : [{ route, key, first: text, again: again.text }];
    });
    expect(repeated.flat()).toEqual([]);
  }, 30_000);

  it('has created one payment for each key, acknowledged or not', async () => {
    expect(await query('select reference, count(*) from payments group by 1 having count(*) > 1')).toEqual([]);
  });

  it('charged no payment twice', async () => {
    const twice = await query(
      `select a.payment_id, count(*) from sandbox.charges c join payment_attempts a on a.id = c.attempt_id
       where c.state = 'captured' group by 1 having count(*) > 1`,
    );
    expect(twice).toEqual([]);
  });

  it('has no payment or attempt in progress', async () => {
    expect(await query("select id, phase from payments where phase in ('processing', 'confirming')")).toEqual([]);
    const left = `select a.payment_id, p.phase from payment_attempts a join payments p on p.id = a.payment_id
      where a.state = 'authorized' and p.phase <> 'authorized'`;
    expect(await query(left)).toEqual([]);
    const open = "('started', 'capturing', 'unknown')";
    expect(await query(`select payment_id, state from payment_attempts where state in ${open}`)).toEqual([]);
    expect(await query('select id from refund_parts where state = $$pending$$')).toEqual([]);
  });

  it('has consistent books', async () => {
    expect(await findUnsoundBooks(database.pool)).toEqual({});
  });

  it('has no secret in the database’s log', async () => {
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('database system');
    expect(log.match(/sk_test_\w+|_secret_\w+|whsec_\w+|ada@example\.com/g)).toBeNull();
  });

  it('shuts down gracefully', async () => {
    expect(await target.server.stop()).toBe(0);
  });
});

async function inParallel<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
