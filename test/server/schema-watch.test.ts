import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, startTestApp, type TestApp } from '../support/app.ts';
import { logStatements, type StatementLog } from '../support/statements.ts';

let shop: TestApp;
let log: StatementLog;
beforeAll(async () => {
  log = logStatements();
  shop = await startTestApp({ sweeping: true });
  await listen(shop);
});
afterAll(async () => {
  log.stop();
  await shop.close();
});

const payment = {
  amount: 1000,
  currency: 'USD',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card'],
  customer: { email: 'ada@shop.example' },
};
const pay = async () => (await shop.request('POST /v1/payments', { body: payment })).status;
const ready = async () => {
  const { status, body } = await shop.request('GET /readyz', { key: null });
  return [status, body];
};
const mark = (version: number, isBreaking: boolean) =>
  shop.database.pool.query(
    `insert into schema_migrations (version, name, checksum, is_breaking) values ($1, $1::int || '_newer', 'x', $2)`,
    [version, isBreaking],
  );
const unmark = () => shop.database.pool.query('delete from schema_migrations where version >= 90');
const remember = () => shop.database.pool.query('update events set dispatched = false');
/** Events that wait for a sweep. */
async function undispatched(): Promise<number> {
  const { rows } = await shop.database.pool.query('select count(*)::int as count from events where not dispatched');
  return rows[0].count;
}
/** The sweeps of an idle server that run each minute or more often. */
const asking = [
  'payments.credits',
  'payments.card_events',
  'payments.deposits',
  'settlements.addresses',
  'treasury.clawbacks',
  'submission.claims',
  'outbound.backlog',
  'mail.send',
  'idempotency.expire',
];
const soon = { timeout: 10_000, interval: 100 };

describe('an idle server', { timeout: 30_000 }, () => {
  /** Statements that the server sends more than once in two seconds, except the one query for due work. */
  async function repeated(): Promise<readonly string[]> {
    log.clear();
    await sleep(2_000);
    const byText = Map.groupBy(log.statements, ({ text }) => text);
    const twice = [...byText].filter(([, { length }]) => length > 1).map(([text]) => text);
    return twice.filter(text => !text.startsWith("select 'payments.expire' as name"));
  }

  it('polls for nothing: it repeats one query that looks for the due work of all sweeps', async () => {
    await expect.poll(repeated, { timeout: 20_000, interval: 0 }).toEqual([]);
    expect(log.statements.length).toBeGreaterThan(0);
    expect(log.statements.length).toBeLessThan(6);
  });

  it('asks what others hold by prepared statements, so that no connection changes how it plans', async () => {
    await shop.sweep(...asking);
    log.clear();
    await shop.sweep(...asking);
    expect(log.statements.length).toBeLessThan(30);
    expect(log.settings()).toBeLessThan(3);
  });
});

describe('a database that a newer version of the server has migrated', () => {
  it('is used, with a remark, when the migration is compatible', async () => {
    const { rows } = await shop.database.pool.query('select max(version) as known from schema_migrations');
    await mark(98, false);
    const remark = `database: schema 98 is newer than this server's (${rows[0].known})`;
    expect(await ready()).toEqual([200, { status: 'ready', remarks: [remark] }]);
    expect(await pay()).toBe(201);
    await unmark();
    expect(await ready()).toEqual([200, { status: 'ready' }]);
  });

  it('is refused when it is incompatible: by requests, without a call of /readyz, and by background work', async () => {
    await mark(99, true);
    await expect.poll(pay, soon).toBe(503);
    const { body, headers } = await shop.request('GET /v1/account');
    expect(body.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('newer version') });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await shop.request('GET /', { key: null })).status).toBe(503);
    expect((await shop.request('GET /healthz', { key: null })).status).toBe(200);
    expect((await ready())[0]).toBe(503);
    expect((await ready())[1]).toMatchObject({ status: 'schema_too_new' });
    await remember();
    const waiting = await undispatched();
    expect(waiting).toBeGreaterThan(0);
    await new Promise(resolve => setTimeout(resolve, 2_500));
    expect(await undispatched()).toBe(waiting);
    expect(shop.logs.filter(line => line.includes('stops its work'))).toHaveLength(1);
    expect(shop.logs.filter(line => line.includes('a request failed'))).toEqual([]);
    expect(shop.logs.filter(line => line.includes('the database is away'))).toEqual([]);
    const refusals = shop.logs.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'requests are refused');
    expect(refusals[0]).toMatchObject({ level: 50, requests: 1, reason: expect.stringContaining('newer version') });
    await unmark();
    await expect.poll(pay, soon).toBe(201);
    await expect.poll(undispatched, soon).toBe(0);
  }, 40_000);
});
