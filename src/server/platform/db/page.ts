import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import type { Executor } from './database.ts';
import type { Tables } from './tables.ts';

/** Which page of a list is asked for. Lists run newest first, by `(created_at, id)` unless they say otherwise. */
export interface PageRequest {
  /** Number of rows, 1 … 100. */
  readonly limit: number;
  /** Id of the row after which (older) the page starts. */
  readonly startingAfter: string | null;
  /** Id of the row before which (newer) the page ends. */
  readonly endingBefore: string | null;
  readonly createdFrom: Date | null;
  readonly createdBefore: Date | null;
}

/** Rows of a page, newest first, and whether the list goes on in the direction asked for. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** Columns that the rows of a paged table have; also `created_at`, unless the list names its `moment`. */
interface PagedRow {
  readonly merchant_id: string;
  readonly livemode: boolean;
  readonly id: string;
}

/** Tables that can be read page by page. */
type PagedTable = { [Table in keyof Tables]: Selectable<Tables[Table]> extends PagedRow ? Table : never }[keyof Tables];

/** A list: whose rows of which table, and what columns all of them have in common. A cursor must be one of these rows. */
export interface PageScope<Table extends PagedTable> {
  readonly table: Table;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly only?: Columns;
  /** What else makes a row one of the list. */
  readonly among?: RawBuilder<SqlBool>;
  /** The column by which it runs instead of `created_at`. */
  readonly moment?: string;
}

/** What columns must be equal to; undefined says nothing. */
type Columns = Readonly<Record<string, string | undefined>>;

/** Which rows of a list are wanted; a cursor need not be one of them. */
export interface PageFilter {
  readonly equal?: Columns;
  readonly and?: readonly RawBuilder<SqlBool>[];
}

/**
 * Reads a page by keyset: pages neither skip nor repeat rows while new ones arrive. Throws `invalid_cursor` when a
 * cursor is no row of this list.
 */
export async function readPage<Table extends PagedTable>(
  db: Executor,
  list: PageScope<Table>,
  request: PageRequest,
  filter: PageFilter = {},
): Promise<Page<Selectable<Tables[Table]>>> {
  const backwards = request.endingBefore !== null;
  const cursor = request.endingBefore ?? request.startingAfter;
  const moment = momentOf(list);
  const conditions = [...rowsOf(list), ...equal(filter.equal ?? {}), ...(filter.and ?? [])];
  if (request.createdFrom !== null) conditions.push(sql`${moment} >= ${request.createdFrom}`);
  if (request.createdBefore !== null) conditions.push(sql`${moment} < ${request.createdBefore}`);
  if (cursor !== null) {
    const at = await cursorTime(db, list, cursor, backwards ? 'ending_before' : 'starting_after');
    conditions.push(sql`(${moment}, id) ${backwards ? sql`>` : sql`<`} (${at}::timestamptz, ${cursor})`);
  }
  const order = backwards ? sql`asc` : sql`desc`;
  const { rows } = await sql<Selectable<Tables[Table]>>`
    select * from ${sql.table(list.table)} where ${sql.join(conditions, sql` and `)}
    order by ${moment} ${order}, id ${order} limit ${request.limit + 1}`.execute(db);
  const kept = rows.slice(0, request.limit);
  return { rows: backwards ? kept.reverse() : kept, hasMore: rows.length > request.limit };
}

function momentOf({ moment = 'created_at' }: PageScope<PagedTable>): RawBuilder<unknown> {
  return sql.ref(moment);
}

function rowsOf({ merchantId, livemode, only = {}, among }: PageScope<PagedTable>): RawBuilder<SqlBool>[] {
  const rows = [sql<SqlBool>`merchant_id = ${merchantId}`, sql<SqlBool>`livemode = ${livemode}`, ...equal(only)];
  return among === undefined ? rows : [...rows, among];
}

function equal(columns: Columns): RawBuilder<SqlBool>[] {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
}

/** As text, since a Date would lose the microseconds a row may carry. */
async function cursorTime(db: Executor, list: PageScope<PagedTable>, id: string, param: string): Promise<string> {
  const { rows } = await sql<{ at: string }>`
    select ${momentOf(list)}::text as at from ${sql.table(list.table)}
    where ${sql.join([...rowsOf(list), sql`id = ${id}`], sql` and `)} limit 1`.execute(db);
  const at = rows[0]?.at;
  if (at === undefined) {
    throw new PayError('invalid_cursor', `No object of this list has the id given in ${param}.`, { param });
  }
  return at;
}
