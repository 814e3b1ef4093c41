import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const read = async (sql: string) => (await database.pool.query({ text: sql, rowMode: 'array' })).rows.flat();

const ownTables = `
  select c.oid, c.relname, coalesce(obj_description(c.oid), '') like 'routing:%' as routing
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

it('lists the routing tables, which are read before the merchant is known', async () => {
  expect(await read(`select relname from (${ownTables}) t where routing order by 1`)).toEqual([
    'api_keys',
    'bank_orders',
    'deposit_routes',
    'domains',
    'merchants',
    'payment_link_routes',
    'people',
    'person_sessions',
  ]);
});

it('has merchant_id in every unique key of a table owned by merchants, and first in its primary key', async () => {
  const wrong = await read(`
    select i.indexrelid::regclass::text
    from (${ownTables}) t
    join pg_attribute a on a.attrelid = t.oid and a.attname = 'merchant_id'
    join pg_index i on i.indrelid = t.oid
    where not t.routing
      and (i.indisunique and a.attnum <> all (i.indkey::smallint[]) or i.indisprimary and i.indkey[0] <> a.attnum)`);
  expect(wrong).toEqual([]);
});

it('has no foreign keys, because none may cross merchants', async () => {
  expect(
    await read("select conname from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace"),
  ).toEqual([]);
});
