import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { dueRows } from '../../../src/server/platform/db/due.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const now = new Date('2026-11-01T12:00:00Z');
const hour = 3_600_000;
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

function due(limit = 100) {
  return sql`with ${dueRows({
    table: 'webhook_deliveries',
    dueAt: 'next_attempt_at',
    columns: ['id'],
    where: sql`t.status = 'pending'`,
    now,
    limit,
  })} select id, clock from due order by clock, id`;
}

async function findDue(limit?: number): Promise<{ id: string; clock: Date }[]> {
  const { rows } = await sql<{ id: string; clock: Date }>`${due(limit)}`.execute(database.db);
  return rows;
}

test('a row is due by the real time, or earlier by as much as its merchant moved the test clock', async () => {
  const still = await addMerchant(0);
  const moved = await addMerchant(3 * hour);
  const expected = [await addDelivery(still, -1), await addDelivery(moved, -hour), await addDelivery(moved, 3 * hour)];
  await addDelivery(still, 1);
  await addDelivery(moved, 3 * hour + 1);
  const found = await findDue();
  expect(found.map(row => row.id).sort()).toEqual(expected.sort());
  expect(found.map(row => row.clock.getTime() - now.getTime())).toEqual([0, 3 * hour, 3 * hour]);
});

test('the test clock moves nothing of live mode', async () => {
  const moved = await addMerchant(3 * hour);
  await addDelivery(moved, hour, true);
  const overdue = await addDelivery(moved, -hour, true);
  expect(await findDue()).toEqual([{ id: overdue, clock: now }]);
});

test('two workers never take the same row, and neither waits for the other', async () => {
  const moved = await addMerchant(3 * hour);
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(await addDelivery(moved, i < 2 ? -hour : hour));
  await database.db.transaction().execute(async first => {
    const { rows: mine } = await sql<{ id: string }>`${due(1)}`.execute(first);
    expect(mine).toHaveLength(2);
    const theirs = await findDue();
    expect([...mine, ...theirs].map(row => row.id).sort()).toEqual(ids.sort());
  });
});
