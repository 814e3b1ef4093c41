import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Db, type Executor, isLostRace } from './database.ts';
import { executePrepared } from './prepared.ts';
import { columnTypes, rowSource } from './rows.ts';
import type { Tables } from './tables.ts';

/**
 * Leases of due work. A row is due when its due time has passed. A claim moves the due time to the end of the lease.
 * The worker then moves it to a later time (renewal, next attempt), or to null (done). If the worker crashes, the row
 * is due again at the end of the lease.
 *
 * The due time identifies the claim: a claim or move changes a row only while its due time is unchanged. Therefore no
 * lock outlives its statement, and statements may run on many shards of a distributed database.
 */
export interface DueWork {
  /** A table with `merchant_id`, unless `clock` is `real`. */
  readonly table: keyof Tables;
  /** Primary key. */
  readonly key: readonly string[];
  /** Column with the due time. Index it for the rows of `where`. */
  readonly dueAt: string;
  /** The condition of the partial index, with the alias `t`: rows that can become due. */
  readonly where: RawBuilder<unknown>;
  /** `merchant`: due by the merchant's clock, including test clocks. `real`: due by the server's clock. */
  readonly clock: 'merchant' | 'real';
  /** Rows that follow the merchant's test clock, with the alias `t`. Default: `not t.livemode`. */
  readonly inTestMode?: RawBuilder<unknown>;
}

const inTestModeByDefault = sql`not t.livemode`;
/** How far the test clock of the merchant `m` is ahead. */
const clockOffset = sql`m.test_clock_offset_ms * interval '1 millisecond'`;

export interface DueRequest {
  /** The real time. */
  readonly now: Date;
  readonly limit: number;
}

/** A claim: the lease in seconds, and other columns to set. */
export interface ClaimRequest extends DueRequest {
  readonly leaseSeconds: number;
  /** Other assignments, with the aliases `t` (the row) and `due.clock` (its merchant's time). */
  readonly set?: RawBuilder<unknown>;
  /** The statement after `select`, which reads the claimed rows: `claimed c`. Default: all columns. */
  readonly columns?: RawBuilder<unknown>;
}

/**
 * Reads due rows without claiming them, the longest overdue first. For work that locks each row and checks it again.
 * Returns the columns and `clock`, the current time on the merchant's clock.
 */
export async function findDue<Row>(db: Executor, work: DueWork, request: DueRequest, columns: RawBuilder<unknown>) {
  const { rows } = await executePrepared(
    db,
    sql<Row & { readonly clock: Date }>`
      with ${dueRows(work, request)}
      select ${columns}, due.clock from due join ${sql.table(work.table)} t on ${sameKey(work)}
      order by due.due_at`,
  );
  return rows;
}

/** Work that a sweep waits for: rows with a due time, or a condition in SQL. The condition must use an index. */
export type Due = DueWork | ((now: Date) => RawBuilder<unknown>);

/** The condition that the table has rows with `where`, whose alias is `t`. */
export function anyRow(table: keyof Tables, where: RawBuilder<unknown> = sql`true`): Due {
  return () => sql`exists (select from ${sql.table(table)} t where ${where})`;
}

/** A name, and the condition in SQL that its work is due. */
type Look = readonly [name: string, isDue: RawBuilder<unknown>];

/** The name of the look that finds merchants whose test clock is ahead. */
const movedClocks = '';

/**
 * Finds the names of the works that are due. One statement looks for all of them by the real time. It runs every second
 * for ever, and each connection plans it, so it is kept small. A second statement looks at the test clocks of merchants
 * that have moved theirs; without such a merchant, it is not sent.
 */
export function createDueNames(db: Db, works: readonly (readonly [name: string, due: Due])[]) {
  const time = new Date(0);
  const byRealTime = works.map(([name, due]): Look => [name, isDueByRealTime(due, time)]);
  const byTestClock = works.flatMap(([name, due]): readonly Look[] =>
    typeof due === 'function' || due.clock === 'real' ? [] : [[name, isDueByTestClock(due, time)]],
  );
  const moved: Look = [movedClocks, sql`exists (select from merchants m where m.test_clock_offset_ms > 0)`];
  const findDue = createLooks(db, byTestClock.length > 0 ? [...byRealTime, moved] : byRealTime, time);
  const findDueByTestClock = createLooks(db, byTestClock, time);
  return async (now: Date): Promise<readonly string[]> => {
    const names = await findDue(now);
    if (!names.includes(movedClocks)) return names;
    return [...names.filter(name => name !== movedClocks), ...(await findDueByTestClock(now))];
  };
}

// The sequence and limit make the planner choose the index of due times, also while a table is small.
function isDueByRealTime(due: Due, time: Date): RawBuilder<unknown> {
  if (typeof due === 'function') return due(time);
  const dueAt = sql.ref(`t.${due.dueAt}`);
  return sql`(select true from ${sql.table(due.table)} t
    where (${due.where}) and ${dueAt} <= ${time}::timestamptz order by ${dueAt} limit 1)`;
}

function isDueByTestClock({ table, where, inTestMode = inTestModeByDefault, ...due }: DueWork, time: Date) {
  const dueAt = sql.ref(`t.${due.dueAt}`);
  return sql`exists (
    select from merchants m cross join lateral (
      select from ${sql.table(table)} t
      where t.merchant_id = m.id and (${where}) and (${inTestMode}) and ${dueAt} <= ${time}::timestamptz + ${clockOffset}
      order by ${dueAt} limit 1
    ) moved
    where m.test_clock_offset_ms > 0)`;
}

/** Compiles the looks into one statement. Its text is made once, and has one parameter for all uses of the time. */
function createLooks(db: Db, looks: readonly Look[], time: Date) {
  if (looks.length === 0) return async (): Promise<readonly string[]> => [];
  const selects = looks.map(([name, isDue]) => sql`select ${sql.lit(name)} as name where ${isDue}`);
  const compiled = sharingParameters(sql<{ name: string }>`${sql.join(selects, sql` union all `)}`.compile(db));
  return async (now: Date): Promise<readonly string[]> => {
    const parameters = compiled.parameters.map(each => (each === time ? now : each));
    const { rows } = await executePrepared<{ name: string }>(db, { compile: () => ({ ...compiled, parameters }) });
    return rows.map(({ name }) => name);
  };
}

/** The statement with one parameter for each distinct value. */
function sharingParameters<Row>(compiled: CompiledQuery<Row>): CompiledQuery<Row> {
  const parameters = [...new Set(compiled.parameters)];
  const shared = compiled.sql.replace(
    /\$(\d+)/g,
    (_, number) => `$${parameters.indexOf(compiled.parameters[number - 1]) + 1}`,
  );
  return { ...compiled, sql: shared, parameters };
}

/** Claims due rows until `leaseSeconds` from now on the rows' clock. Returns the changed rows, with `clock`. */
export async function claimDue<Row>(
  db: Db,
  work: DueWork,
  request: ClaimRequest,
): Promise<readonly (Row & { readonly clock: Date })[]> {
  const found = await findKeys(db, work, request);
  if (found.length === 0) return [];
  const { set, columns = sql`c.* from claimed c` } = request;
  const dueAt = sql.ref(work.dueAt);
  const types = { ...(await columnTypes(db, work.table, work.key)), due_at: 'text', clock: 'timestamptz' };
  try {
    const claim = sql<Row & { readonly clock: Date }>`
      with claimed as (
        update ${sql.table(work.table)} t
        set ${dueAt} = due.clock + ${request.leaseSeconds} * interval '1 second' ${set === undefined ? sql`` : sql`, ${set}`}
        from ${rowSource(types, found)} as due
        where ${sameKey(work)} and ${sql.ref(`t.${work.dueAt}`)} = due.due_at::timestamptz and (${work.where})
        returning t.*, due.clock
      )
      select ${columns}`;
    return (await executePrepared(db, claim)).rows;
  } catch (error) {
    // Two workers claimed the same rows in different orders, and the other worker got them.
    if (isLostRace(error)) return [];
    throw error;
  }
}

/** The keys of due rows. The due time is read as text, because a `Date` would lose its microseconds. */
async function findKeys(db: Db, work: DueWork, request: DueRequest): Promise<readonly object[]> {
  const keys = sql.join(work.key.map(column => sql.ref(column)));
  const { rows } = await executePrepared(
    db,
    sql<object>`with ${dueRows(work, request)} select ${keys}, due_at::text as due_at, clock from due`,
  );
  return rows;
}

/** The next due time of a claimed row, or null if the work is done. Also other columns to set. */
export interface Move {
  readonly to: Date | null;
  readonly set?: RawBuilder<unknown>;
}

/** Moves a claimed row. Returns false without a change if the claim has ended. */
export async function moveDue(db: Executor, work: DueWork, claimed: object, { to, set }: Move): Promise<boolean> {
  const row = claimed as Readonly<Record<string, unknown>>;
  const token = [...work.key, work.dueAt].map(column => sql`${sql.ref(column)} = ${row[column]}`);
  const moving = sql`
    update ${sql.table(work.table)} t
    set ${sql.ref(work.dueAt)} = ${to} ${set === undefined ? sql`` : sql`, ${set}`}
    where ${sql.join(token, sql` and `)} and (${work.where})`;
  const { numAffectedRows } = await executePrepared(db, moving);
  return (numAffectedRows ?? 0n) > 0n;
}

function sameKey({ key }: DueWork): RawBuilder<unknown> {
  const pairs = key.map(column => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`due.${column}`)}`);
  return sql.join(pairs, sql` and `);
}

/**
 * The common table expression `due`: keys of due rows, with `due_at` and `clock`. A test clock is never behind the real
 * time, so one index scan finds all rows that are due by real time. Only merchants with an advanced clock need a second
 * scan, limited to their part of the index.
 */
export function dueRows(work: DueWork, { now, limit }: DueRequest): RawBuilder<unknown> {
  const { where, table } = work;
  const dueAt = sql.ref(`t.${work.dueAt}`);
  const columns = sql`${sql.join(work.key.map(column => sql.ref(`t.${column}`)))}, ${dueAt} as due_at`;
  const at = sql`${now}::timestamptz`;
  if (work.clock === 'real') {
    return sql`due as (
      select ${columns}, ${at} as clock from ${sql.table(table)} t
      where (${where}) and ${dueAt} <= ${at} order by ${dueAt} limit ${limit})`;
  }
  const inTestMode = work.inTestMode ?? inTestModeByDefault;
  const offset = clockOffset;
  return sql`due as (
    (select ${columns}, ${at} + case when ${inTestMode} then ${offset} else interval '0' end as clock
    from ${sql.table(table)} t join merchants m on m.id = t.merchant_id
    where (${where}) and ${dueAt} <= ${at} order by ${dueAt} limit ${limit})
    union all
    (select moved.* from merchants m cross join lateral (
      select ${columns}, ${at} + ${offset} as clock from ${sql.table(table)} t
      where t.merchant_id = m.id and (${where}) and (${inTestMode}) and ${dueAt} > ${at} and ${dueAt} <= ${at} + ${offset}
      order by ${dueAt} limit ${limit}
    ) moved
    where m.test_clock_offset_ms > 0 limit ${limit}))`;
}
