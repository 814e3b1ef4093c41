import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../src/server/platform/db/database.ts';
import { keptPlan } from '../../../src/server/platform/db/kept-plans.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let home: TestDatabase;
/** One connection, so that what it keeps can be seen. */
let database: Database;
beforeAll(async () => {
  home = await createTestDatabase('empty');
  database = createDatabase({ connection: home.connection, max: 1 });
  await database.pool.query('create table parcels (id integer primary key, weight bigint not null)');
  await database.pool.query('insert into parcels values (1, 10), (2, 20)');
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

const parcel = (id: number) => sql`${sql.raw(keptPlan)} select * from parcels where id = ${id}`.execute(database.db);
const kept = async () => (await database.pool.query('select statement from pg_prepared_statements')).rows.length;

it('prepares a marked statement once, and others never', async () => {
  for (let round = 0; round < 3; round++) {
    for (const id of [1, 2]) {
      expect((await parcel(id)).rows).toEqual([{ id, weight: BigInt(id * 10) }]);
      await sql`select weight from parcels where id = ${id}`.execute(database.db);
    }
  }
  expect(await kept()).toBe(1);
});

it('gives a plan up whose result a migration has changed: it fails once, and is right from then on', async () => {
  await parcel(1);
  await database.pool.query('alter table parcels add column colour text');
  await expect(parcel(1)).rejects.toMatchObject({ code: '0A000' });
  expect((await parcel(1)).rows).toEqual([{ id: 1, weight: 10n, colour: null }]);
});

it('keeps so many and no more', async () => {
  for (let other = 0; other < 220; other++) {
    await sql`${sql.raw(keptPlan)} select ${sql.raw(String(other))} + ${1}::integer`.execute(database.db);
  }
  expect(await kept()).toBe(200);
  expect((await parcel(2)).rows).toMatchObject([{ weight: 20n }]);
});
