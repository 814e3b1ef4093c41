import { type RawBuilder, sql } from 'kysely';
import type { Db, Executor } from './database.ts';
import { executePrepared } from './prepared.ts';
import type { Tables } from './tables.ts';

/**
 * The one lease for work that is due. A row is due when its due time has passed. A claim moves that time to the end of
 * the lease. The worker moves it again: to a later time (renewal, next try) or to null (done). A dead worker moves
 * nothing, so the row is due again at the end of the lease.
 *
 * The due time is the token: a claim and a move change the row only while its due time is the one that was read. So no
 * row is locked beyond its own statement, and a statement may run on many shards of a distributed database.
 */
export interface DueWork {
  /** A table with `merchant_id`, unless `clock` is `real`. */
  readonly table: keyof Tables;
  /** Primary key. */
  readonly key: readonly string[];
  /** Column with the due time. Index it for the rows of `where`. */
  readonly dueAt: string;
  /** Rows that may be due at all, by the alias `t`: the condition of the partial index. */
  readonly where: RawBuilder<unknown>;
  /** `merchant`: due by the merchant's clock, a test clock included. `real`: by the server's. */
  readonly clock: 'merchant' | 'real';
  /** Rows that follow the merchant's test clock, by the alias `t`; `not t.livemode` when left out. */
  readonly inTestMode?: RawBuilder<unknown>;
}

/** How much work to look for. */
export interface DueRequest {
  /** The real time. */
  readonly now: Date;
  readonly limit: number;
}

/** A claim: the lease in seconds, and columns that the claim sets besides. */
export interface ClaimRequest extends DueRequest {
  readonly leaseSeconds: number;
  /** More assignments, by the aliases `t` (the row) and `due.clock` (its merchant's time). */
  readonly set?: RawBuilder<unknown>;
  /** What to return of the rows `claimed c`, up to the end of the statement; all of their columns when left out. */
  readonly columns?: RawBuilder<unknown>;
}

/**
 * Reads due rows, the longest overdue first, without claiming them: for work that locks the row and looks again. Returns the
 * columns with `clock`, the present moment of the row's merchant.
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

/** Claims due rows until `leaseSeconds` from now on their clock, and returns them as they are then, with `clock`. */
export async function claimDue<Row>(
  db: Db,
  work: DueWork,
  request: ClaimRequest,
): Promise<readonly (Row & { readonly clock: Date })[]> {
  const { set, columns = sql`c.* from claimed c` } = request;
  const dueAt = sql.ref(work.dueAt);
  try {
    const { rows } = await executePrepared(
      db,
      sql<Row & { readonly clock: Date }>`
        with ${dueRows(work, request)}, claimed as (
          update ${sql.table(work.table)} t
          set ${dueAt} = due.clock + ${request.leaseSeconds} * interval '1 second' ${set === undefined ? sql`` : sql`, ${set}`}
          from due where ${sameKey(work)} and ${sql.ref(`t.${work.dueAt}`)} = due.due_at and (${work.where})
          returning t.*, due.clock
        )
        select ${columns}`,
    );
    return rows;
  } catch (error) {
    // Two workers that claim the same rows in different orders: the other one has them.
    if ((error as { readonly code?: unknown }).code === deadlock) return [];
    throw error;
  }
}

const deadlock = '40P01';

/** Where a claimed row goes: a later time (renewal, next try), or null when the work is done; and columns to set with it. */
export interface Move {
  readonly to: Date | null;
  readonly set?: RawBuilder<unknown>;
}

/** Moves a claimed row. Returns false, and changes nothing, when the claim is over and another worker may have the row. */
export async function moveDue(db: Executor, work: DueWork, claimed: object, { to, set }: Move): Promise<boolean> {
  const row = claimed as Readonly<Record<string, unknown>>;
  const token = [...work.key, work.dueAt].map(column => sql`${sql.ref(column)} = ${row[column]}`);
  const { numAffectedRows } = await sql`
    update ${sql.table(work.table)} t
    set ${sql.ref(work.dueAt)} = ${to} ${set === undefined ? sql`` : sql`, ${set}`}
    where ${sql.join(token, sql` and `)} and (${work.where})`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

function sameKey({ key }: DueWork): RawBuilder<unknown> {
  const pairs = key.map(column => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`due.${column}`)}`);
  return sql.join(pairs, sql` and `);
}

/**
 * The common table expression `due`: keys of due rows with `due_at` and `clock`. A test clock never runs behind the real
 * time, so one scan of the index finds all that is due by real time. Only merchants that moved their clock need a second
 * scan, each of its own part of the index.
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
  const inTestMode = work.inTestMode ?? sql`not t.livemode`;
  const offset = sql`m.test_clock_offset_ms * interval '1 millisecond'`;
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
