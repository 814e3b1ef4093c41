import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { createDatabase, type Db } from '../../../src/server/platform/db/database.ts';
import { claimDue, createDueNames, type DueWork, findDue, moveDue } from '../../../src/server/platform/db/lease.ts';
import { reachThrough } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { createWatchedSweeper } from '../../support/watched-sweeper.ts';

const now = new Date('2026-11-01T12:00:00Z');
const hour = 3_600_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.db.deleteFrom('webhook_deliveries').execute();
  await database.db.deleteFrom('merchants').execute();
});
afterAll(() => database.drop());

async function addMerchant(offsetMs: number): Promise<string> {
  const id = newId('account');
  await database.db
    .insertInto('merchants')
    .values({ id, name: 'Shop', test_clock_offset_ms: BigInt(offsetMs) })
    .execute();
  return id;
}

async function addDelivery(merchantId: string, dueInMs: number, livemode = false): Promise<string> {
  const id = newId('delivery');
  await database.db
    .insertInto('webhook_deliveries')
    .values({
      merchant_id: merchantId,
      id,
      endpoint_id: 'we_1',
      event_id: 'evt_1',
      event_type: 'payment.completed',
      event_recorded_at: now,
      livemode,
      status: 'pending',
      next_attempt_at: new Date(now.getTime() + dueInMs),
      created_at: now,
    })
    .execute();
  return id;
}

const deliveries: DueWork = {
  table: 'webhook_deliveries',
  key: ['merchant_id', 'endpoint_id', 'id', 'recorded_at'],
  clock: 'merchant',
  dueAt: 'next_attempt_at',
  where: sql`t.status = 'pending'`,
};

const find = (at = now) => findDue<{ id: string }>(database.db, deliveries, { now: at, limit: 100 }, sql`t.id`);

interface Claimed {
  readonly id: string;
  readonly next_attempt_at: Date;
}
const claim = (at = now, limit = 100) =>
  claimDue<Claimed>(database.db, deliveries, { now: at, limit, leaseSeconds: 60 });
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort();

test('a row is due by the real time, or earlier by the offset of its merchant’s test clock', async () => {
  const still = await addMerchant(0);
  const moved = await addMerchant(3 * hour);
  const expected = [await addDelivery(still, -1), await addDelivery(moved, -hour), await addDelivery(moved, 3 * hour)];
  await addDelivery(still, 1);
  await addDelivery(moved, 3 * hour + 1);
  const found = await find();
  expect(idsOf(found)).toEqual(expected.sort());
  expect(found.map(row => row.clock.getTime() - now.getTime()).sort()).toEqual([0, 3 * hour, 3 * hour]);
});

test('the test clock does not affect live mode', async () => {
  const moved = await addMerchant(3 * hour);
  await addDelivery(moved, hour, true);
  const overdue = await addDelivery(moved, -hour, true);
  expect(await find()).toEqual([{ id: overdue, clock: now }]);
});

test('two workers never claim the same row', async () => {
  const moved = await addMerchant(3 * hour);
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) ids.push(await addDelivery(moved, i % 2 === 0 ? -hour : hour));
  const claims = await Promise.all(Array.from({ length: 4 }, () => claim(now, 10)));
  const claimed = claims.flat();
  expect(new Set(idsOf(claimed)).size).toBe(claimed.length);
  const rest: Claimed[] = [];
  for (let more = await claim(); more.length > 0; more = await claim()) rest.push(...more);
  expect(idsOf([...claimed, ...rest])).toEqual(ids.sort());
});

test('a claimed row is due again when the lease ends, by its merchant’s clock', async () => {
  const moved = await addMerchant(3 * hour);
  const id = await addDelivery(moved, hour);
  const [row] = await claim();
  expect(row?.next_attempt_at).toEqual(new Date(now.getTime() + 3 * hour + 60_000));
  expect(await claim(later(59))).toEqual([]);
  expect(idsOf(await claim(later(60)))).toEqual([id]);
});

test('a worker renews, postpones or ends its claim, but not after the claim has ended', async () => {
  const still = await addMerchant(0);
  await addDelivery(still, 0);
  const [first] = await claim();
  if (first === undefined) return expect.unreachable();
  const renewed = { ...first, next_attempt_at: later(300) };
  expect(await moveDue(database.db, deliveries, first, { to: renewed.next_attempt_at })).toBe(true);
  expect(await moveDue(database.db, deliveries, first, { to: later(600) })).toBe(false);
  expect(await claim(later(299))).toEqual([]);
  const [second] = await claim(later(300));
  expect(await moveDue(database.db, deliveries, renewed, { to: null })).toBe(false);
  const set = sql`status = 'delivered'`;
  expect(await moveDue(database.db, deliveries, second ?? {}, { to: null, set })).toBe(true);
  expect(await claim(later(86_400))).toEqual([]);
});

describe('one query a second wakes the sweep that has due work', () => {
  /** A watched sweep of a process, which counts the deliveries that it finds. Its own interval is ten minutes. */
  function addProcess(db: Db) {
    const found: string[] = [];
    const run = async () => {
      const rows = await claimDue<{ id: string }>(db, deliveries, { now: new Date(), limit: 10, leaseSeconds: 60 });
      found.push(...rows.map(({ id }) => id));
      return rows.length;
    };
    const sweeper = createWatchedSweeper({ db, log: silent, sweeps: [{ name: 'deliveries', due: [deliveries], run }] });
    sweeper.start();
    onTestFinished(() => sweeper.stop());
    return { sweeper, found };
  }
  const soon = { timeout: 10_000, interval: 20 };

  it('without a notice, by the real time and by an advanced test clock, in one of several processes', async () => {
    const processes = [addProcess(database.db), addProcess(database.db)];
    await sleep(100);
    const sinceNow = Date.now() - now.getTime();
    const [real, moved] = [await addMerchant(0), await addMerchant(2 * hour)];
    const found = () => processes.flatMap(each => each.found);
    await addDelivery(real, sinceNow + hour);
    const byTestClock = await addDelivery(moved, sinceNow + hour);
    await expect.poll(found, soon).toEqual([byTestClock]);
    const byRealTime = await addDelivery(real, sinceNow);
    await expect.poll(found, soon).toEqual([byTestClock, byRealTime]);
  });

  it('and a second query only while a merchant has an advanced test clock', async () => {
    const one = createDatabase({ connection: database.connection, max: 1 });
    onTestFinished(one.close);
    const dueNames = createDueNames(one.db, [['deliveries', deliveries]]);
    const statements = async () => (await one.pool.query('select from pg_prepared_statements')).rowCount;
    await addDelivery(await addMerchant(0), hour);
    expect([await dueNames(now), await statements()]).toEqual([[], 1]);
    const moved = await addMerchant(hour);
    expect([await dueNames(now), await statements()]).toEqual([[], 2]);
    await addDelivery(moved, hour);
    expect(await dueNames(now)).toEqual(['deliveries']);
  });

  it('again after an outage of the database, which is reported meanwhile', async () => {
    let proxy: FaultProxy | undefined;
    const reached = await reachThrough(database, async target => {
      proxy = await startFaultProxy(target);
      return proxy.port;
    });
    const { sweeper, found } = addProcess(reached.db);
    onTestFinished(async () => {
      await reached.close();
      await proxy?.close();
    });
    await sleep(100);
    proxy?.cut();
    await expect.poll(() => [...sweeper.failing().keys()], soon).toContain('sweeps.due');
    const id = await addDelivery(await addMerchant(0), 0);
    proxy?.heal();
    await expect.poll(() => found, soon).toEqual([id]);
    await expect.poll(() => [...sweeper.failing()], soon).toEqual([]);
  });
});
