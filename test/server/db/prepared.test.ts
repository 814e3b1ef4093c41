import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../src/server/platform/db/database.ts';
import { executePrepared } from '../../../src/server/platform/db/prepared.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let home: TestDatabase;
/** One connection, whose prepared statements the test counts. */
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

const parcel = (id: number) => executePrepared(database.db, sql`select * from parcels where id = ${id}`);
const kept = async () => (await database.pool.query('select statement from pg_prepared_statements')).rows.length;

it('prepares a repeated statement once, and no others', async () => {
  for (let round = 0; round < 3; round++) {
    for (const id of [1, 2]) {
      expect((await parcel(id)).rows).toEqual([{ id, weight: BigInt(id * 10) }]);
      await sql`select weight from parcels where id = ${id}`.execute(database.db);
    }
  }
  expect(await kept()).toBe(1);
});

it('prepares a statement again after a migration changed its result: one execution fails', async () => {
  await parcel(1);
  await database.pool.query('alter table parcels add column colour text');
  await expect(parcel(1)).rejects.toMatchObject({ code: '0A000' });
  expect((await parcel(1)).rows).toEqual([{ id: 1, weight: 10n, colour: null }]);
});

it('prepares at most 200 statements, and executes further ones unprepared', async () => {
  for (let other = 0; other < 220; other++) {
    const { rows } = await executePrepared(database.db, sql`select ${sql.raw(String(other))} + ${1}::integer as sum`);
    expect(rows).toEqual([{ sum: other + 1 }]);
  }
  expect(await kept()).toBeLessThanOrEqual(200);
  expect((await parcel(2)).rows).toMatchObject([{ weight: 20n }]);
});
