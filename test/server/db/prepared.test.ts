import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDatabase, type Database, type Db, type Tx, transact } from '../../../src/server/platform/db/database.ts';
import { createGroupWriter } from '../../../src/server/platform/db/group-writer.ts';
import { failsForAll, isDatabaseOutage } from '../../../src/server/platform/db/outage.ts';
import { executePrepared, executeTogether } from '../../../src/server/platform/db/prepared.ts';
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

it('prepares a statement again after a migration changed its result: only a transaction fails, once, or is repeated', async () => {
  await parcel(1);
  await database.pool.query('alter table parcels add column colour text');
  expect((await parcel(1)).rows).toEqual([{ id: 1, weight: 10n, colour: null }]);
  await database.pool.query('alter table parcels drop column colour');
  const locked = (tx: Tx) => executePrepared(tx, sql`select * from parcels where id = ${1}`);
  const once = () => database.db.transaction().execute(locked);
  const failure = await once().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: '0A000' });
  expect([isDatabaseOutage(failure), failsForAll(failure)]).toEqual([true, false]);
  expect((await once()).rows).toEqual([{ id: 1, weight: 10n }]);
  await database.pool.query('alter table parcels add column colour text');
  expect((await transact(database.db, locked)).rows).toEqual([{ id: 1, weight: 10n, colour: null }]);
  await database.pool.query('alter table parcels drop column colour');
  const writer = createGroupWriter({
    write: (ids: readonly number[]) =>
      database.db.transaction().execute(async tx => {
        await locked(tx);
        return ids;
      }),
    maxBatch: 10,
    maxParallel: 1,
  });
  expect(await writer.write(7)).toBe(7);
});

it('plans a prepared statement once for all values, and others for their own values', async () => {
  const heavier = async (weight: bigint) => {
    const query = sql`select id from parcels where weight = any (${[weight]}::bigint[]) order by id`;
    return (await executePrepared(database.db, query)).rows;
  };
  const mode = async () => {
    const { rows } = await sql<{ mode: string; seqscan: string }>`
      select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as seqscan
      where ${1}::integer = 1`.execute(database.db);
    return rows[0];
  };
  expect(await heavier(20n)).toEqual([{ id: 2 }]);
  expect(await mode()).toEqual({ mode: 'auto', seqscan: 'on' });
  expect(await heavier(10n)).toEqual([{ id: 1 }]);
  const plans =
    'select sum(generic_plans)::int as generic, sum(custom_plans)::int as custom from pg_prepared_statements';
  const { rows } = await database.pool.query(`${plans} where statement like '%order by id'`);
  expect(rows).toEqual([{ generic: 2, custom: 0 }]);
});

it('plans a prepared statement for its values when there are many', async () => {
  const found = async (ids: number[]) =>
    (await executePrepared(database.db, sql`select id as own from parcels where id = any (${ids}::integer[])`)).rows;
  expect(await found(Array.from({ length: 101 }, (_, id) => id))).toEqual([{ own: 1 }, { own: 2 }]);
  const statements = "select 1 from pg_prepared_statements where statement like 'select id as own%'";
  expect((await database.pool.query(statements)).rows).toEqual([]);
  expect(await found([2])).toEqual([{ own: 2 }]);
  expect((await database.pool.query(statements)).rows).toHaveLength(1);
});

it('keeps planning prepared statements once after a transaction was rolled back', async () => {
  const inTransaction = database.db.transaction().execute(async tx => {
    await executePrepared(tx, sql`select weight from parcels where id = ${1}`);
    throw new Error('undone');
  });
  await expect(inTransaction).rejects.toThrow('undone');
  for (let round = 0; round < 2; round++)
    await executePrepared(database.db, sql`select weight from parcels where id = ${2}`);
  const { rows } = await database.pool.query(
    "select custom_plans::int as custom from pg_prepared_statements where statement like 'select weight%'",
  );
  expect(rows).toEqual([{ custom: 0 }]);
});

it('sends a statement by the oldest idle connection, which has most statements prepared', async () => {
  const three = createDatabase({ connection: home.connection, max: 3 });
  const send = async () => (await three.pool.query('select pg_backend_pid() as id')).rows[0].id as number;
  const oldest = await send();
  for (let burst = 0; burst < 3; burst++) {
    expect(await Promise.all([send(), send(), send()])).toContain(oldest);
    expect([await send(), await send()]).toEqual([oldest, oldest]);
  }
  await three.close();
});

it('plans a prepared statement anew once other connections have filled its table', async () => {
  // A small table with wide rows: PostgreSQL expects so few rows of a shop that each index seems as good as the key.
  const notes = Array.from({ length: 40 }, (_, index) => `note_${index}`);
  await database.pool.query(`
    create table boxes (shop text, id text, size bigint, ${notes.join(' text, ')} text, primary key (shop, id));
    create index boxes_by_size on boxes (shop, size)`);
  const two = createDatabase({ connection: home.connection, max: 2 });
  const box = (db: Db, id: number) =>
    executePrepared(db, sql`select size from boxes where shop = ${'a'} and id = ${String(id)}`);
  const texts = notes.map(() => "repeat('x', 30)").join(', ');
  const read = async (db: Db) => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: number }>`
      select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = 'boxes'`.execute(db);
    return rows[0]?.read ?? 0;
  };
  await two.db.connection().execute(async one => {
    await box(one, 0);
    await two.pool.query(`insert into boxes select 'a', n::text, n, ${texts} from generate_series(1, 2000) n`);
    for (let call = 0; call < 200; call++) await box(two.db, call);
    await two.pool.query('select pg_stat_force_next_flush()');
    const before = await read(one);
    expect((await box(one, 7)).rows).toEqual([{ size: 7n }]);
    expect((await read(one)) - before).toBe(1);
  });
  await two.close();
});

it('prepares at most 200 statements, and executes further ones unprepared', async () => {
  for (let other = 0; other < 220; other++) {
    const { rows } = await executePrepared(database.db, sql`select ${sql.raw(String(other))} + ${1}::integer as sum`);
    expect(rows).toEqual([{ sum: other + 1 }]);
  }
  expect(await kept()).toBeLessThanOrEqual(200);
  expect((await parcel(2)).rows).toMatchObject([{ weight: 20n }]);
});

it('reports the maximum once, counts calls beyond it, and keeps it for each database', async () => {
  const onStatementsFull = vi.fn();
  const full = createDatabase({ connection: home.connection, max: 1, onStatementsFull });
  const numbered = ({ db }: Database, other: number) =>
    executePrepared(db, sql`select ${sql.raw(String(other))} - ${1}::integer as difference`);
  for (let other = 0; other < 203; other++) await numbered(full, other);
  expect(onStatementsFull).toHaveBeenCalledOnce();
  expect(full.statements).toMatchObject({ prepared: 200, unprepared: 3 });
  const next = createDatabase({ connection: home.connection, max: 1, onStatementsFull });
  await numbered(next, 1000);
  expect(next.statements).toMatchObject({ prepared: 1, unprepared: 0 });
  const { rows } = await next.pool.query('select name from pg_prepared_statements');
  expect(rows).toHaveLength(1);
  await Promise.all([full.close(), next.close()]);
});

it("plans statements without values with the server's own settings after a prepared statement", async () => {
  await parcel(1);
  const { rows } = await sql<{ seqscan: string }>`select current_setting('enable_seqscan') as seqscan`.execute(
    database.db,
  );
  expect(rows).toEqual([{ seqscan: 'on' }]);
});

describe('statements sent together', () => {
  const lock = (id: number) => sql<{ id: number }>`select id from parcels where id = ${id} for update`;
  const weights = sql<{ weight: bigint }>`select weight from parcels order by id`;
  const begin = <T>({ db }: Database, work: (tx: Tx) => Promise<T>) => db.transaction().execute(work);

  it('run in order: the second sees what was committed before the first got its lock', async () => {
    const other = createDatabase({ connection: home.connection, max: 1 });
    let waiting: Promise<unknown> = Promise.resolve();
    await begin(database, async tx => {
      await lock(1).execute(tx);
      waiting = begin(other, tx => executeTogether(tx, lock(1), weights));
      const blocked = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await vi.waitFor(async () => expect((await home.pool.query(blocked)).rows).toHaveLength(1), 15_000);
      await sql`update parcels set weight = 30 where id = 2`.execute(tx);
    });
    expect(await waiting).toEqual([[{ id: 1 }], [{ weight: 10n }, { weight: 30n }]]);
    await other.close();
  });

  it('run in order also when the first one writes, and the transaction has just begun', async () => {
    const move = sql`update parcels set weight = weight + 1 where id = 1 returning id`;
    const sent = begin(database, tx => executeTogether(tx, move, weights));
    expect((await sent)[1]).toEqual([{ weight: 11n }, { weight: 30n }]);
    await database.pool.query('update parcels set weight = 10 where id = 1');
  });

  it('keep nothing of a transaction that fails before its first write was sent', async () => {
    const move = sql`update parcels set weight = 5 where id = 1 returning id`;
    let sent: Promise<unknown> = Promise.resolve();
    const failed = begin(database, async tx => {
      sent = executeTogether(tx, move);
      throw new Error('given up');
    });
    await expect(failed).rejects.toThrow('given up');
    await sent;
    expect((await parcel(1)).rows).toMatchObject([{ weight: 10n }]);
  });

  it('fail with the first error, and the transaction keeps nothing', async () => {
    const move = sql`update parcels set weight = 1 where id = 1 returning id`;
    const failed = begin(database, tx => executeTogether(tx, move, sql`select 1 / (id - 1) from parcels`, weights));
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect((await parcel(1)).rows).toMatchObject([{ weight: 10n }]);
  });
});
