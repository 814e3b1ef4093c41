import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import type { MerchantScope } from '../merchant.ts';
import type { Executor } from './database.ts';
import { columnsExcept } from './rows.ts';
import type { Tables } from './tables.ts';

/** The requested page of a list. By default, lists are sorted newest first, by `(created_at, id)`. */
export interface PageRequest {
  /** Number of rows, 1 … 100. */
  readonly limit: number;
  /** Id of the newer row directly before the page. */
  readonly startingAfter: string | null;
  /** Id of the older row directly after the page. */
  readonly endingBefore: string | null;
  readonly created: readonly Bound[];
}

/** One end of a range. */
export interface Bound {
  readonly operator: '>' | '>=' | '<' | '<=';
  readonly value: Date | bigint | string;
}

/** Rows of a page in the list's order, and whether more rows follow in the requested direction. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** Columns that each paged table must have. `created_at` is needed too, unless the list sets another sort column. */
interface PagedRow {
  readonly merchant_id: string;
  readonly livemode: boolean;
  readonly id: string;
}

/** Tables with the columns of `PagedRow`. */
type PagedTable = { [Table in keyof Tables]: Selectable<Tables[Table]> extends PagedRow ? Table : never }[keyof Tables];

/** A list: its table, merchant, mode, and the column values of all its rows. A cursor is the id of such a row. */
export interface PageScope<Table extends PagedTable, Left extends string = never>
  extends Pick<MerchantScope, 'merchantId'> {
  readonly table: Table;
  /** Absent: rows of both modes. */
  readonly livemode?: boolean;
  readonly only?: Columns;
  /** An additional condition on the rows. */
  readonly among?: RawBuilder<SqlBool>;
  /** The sort column. Default: `created_at`. */
  readonly moment?: string;
  /** An integer sort column in descending order, for rows that a number orders more exactly than their time. */
  readonly newestBy?: string;
  /** An integer sort column in ascending order, for example the position in a file. */
  readonly position?: string;
  /** Indexed column values of the cursor's row, for a table without an index on `id`. */
  readonly cursorColumns?: (id: string) => Columns;
  /** Columns that are not read, because they are very large. */
  readonly without?: readonly Left[];
}

/** Required column values. Undefined: no condition. */
type Columns = Readonly<Record<string, string | undefined>>;

/** Conditions on the returned rows. The cursor's row need not meet them. */
export interface PageFilter {
  readonly equal?: Columns;
  /** Ranges by column. */
  readonly ranges?: Readonly<Record<string, readonly Bound[]>>;
  /** Values of keys in the column `metadata`, as text. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly and?: readonly RawBuilder<SqlBool>[];
}

/**
 * Reads a page by keyset, so that new rows neither hide nor repeat rows. Throws `invalid_cursor` if the cursor's row is
 * not in this list.
 */
export async function readPage<Table extends PagedTable, Left extends string = never>(
  db: Executor,
  list: PageScope<Table, Left>,
  request: PageRequest,
  filter: PageFilter = {},
): Promise<Page<Omit<Selectable<Tables[Table]>, Left>>> {
  const backwards = request.endingBefore !== null;
  const cursor = request.endingBefore ?? request.startingAfter;
  const conditions = [...rowsOf(list), ...equal(filter.equal ?? {}), ...(filter.and ?? [])];
  for (const [key, text] of Object.entries(filter.metadata ?? {})) conditions.push(hasMetadata(key, text));
  conditions.push(...within(momentOf(list), request.created));
  for (const [column, bounds] of Object.entries(filter.ranges ?? {}))
    conditions.push(...within(sql.ref(column), bounds));
  const order = orderOf(list);
  const ascends = (list.position !== undefined) !== backwards;
  if (cursor !== null) {
    const at = await cursorPlace(db, list, cursor, backwards ? 'ending_before' : 'starting_after');
    conditions.push(sql`(${order.column}, id) ${ascends ? sql`>` : sql`<`} (${at}::${order.type}, ${cursor})`);
  }
  const direction = ascends ? sql`asc` : sql`desc`;
  const columns = list.without === undefined ? sql`*` : await columnsExcept(db, list.table, list.without);
  const { rows } = await sql<Omit<Selectable<Tables[Table]>, Left>>`
    select ${columns} from ${sql.table(list.table)} where ${sql.join(conditions, sql` and `)}
    order by ${order.column} ${direction}, id ${direction} limit ${request.limit + 1}`.execute(db);
  const kept = rows.slice(0, request.limit);
  return { rows: backwards ? kept.reverse() : kept, hasMore: rows.length > request.limit };
}

/** The sort column of the list, and its type. */
function orderOf(list: PageScope<PagedTable, string>) {
  const number = list.position ?? list.newestBy;
  return number === undefined
    ? { column: momentOf(list), type: sql`timestamptz` }
    : { column: sql.ref(number), type: sql`integer` };
}

function momentOf({ moment = 'created_at' }: PageScope<PagedTable, string>): RawBuilder<unknown> {
  return sql.ref(moment);
}

function rowsOf({ merchantId, livemode, only = {}, among }: PageScope<PagedTable, string>): RawBuilder<SqlBool>[] {
  const inMode = livemode === undefined ? [] : [sql<SqlBool>`livemode = ${livemode}`];
  const rows = [sql<SqlBool>`merchant_id = ${merchantId}`, ...inMode, ...equal(only)];
  return among === undefined ? rows : [...rows, among];
}

function equal(columns: Columns): RawBuilder<SqlBool>[] {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
}

function within(column: RawBuilder<unknown>, bounds: readonly Bound[]): RawBuilder<SqlBool>[] {
  return bounds.map(({ operator, value }) => sql<SqlBool>`${column} ${sql.raw(operator)} ${value}`);
}

/** The condition that a metadata value is this text, or the number or boolean with this text. It uses an index. */
function hasMetadata(key: string, text: string): RawBuilder<SqlBool> {
  const plain = /^(true|false|-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?)$/.test(text)
    ? [`{${JSON.stringify(key)}:${text}}`]
    : [];
  const found = [JSON.stringify({ [key]: text }), ...plain].map(json => sql`metadata @> ${json}::jsonb`);
  return sql<SqlBool>`((${sql.join(found, sql` or `)}) and metadata ->> ${key}::text = ${text})`;
}

/** The sort value of the cursor's row. It is text, because a Date would lose microseconds. */
async function cursorPlace(
  db: Executor,
  list: PageScope<PagedTable, string>,
  id: string,
  param: string,
): Promise<string> {
  const { rows } = await sql<{ at: string }>`
    select ${orderOf(list).column}::text as at from ${sql.table(list.table)}
    where ${sql.join([...rowsOf(list), ...equal(list.cursorColumns?.(id) ?? {}), sql`id = ${id}`], sql` and `)} limit 1`.execute(
    db,
  );
  const at = rows[0]?.at;
  if (at === undefined) {
    throw new PayError('invalid_cursor', `No object of this list has the id given in ${param}.`, { param });
  }
  return at;
}
