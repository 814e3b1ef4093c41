import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';
import type { Tables } from './tables.ts';

/**
 * Many rows in one statement. Rows travel as one JSON text, which PostgreSQL reads by the table's own row type; amounts
 * are written as decimal text, so that no digit is lost.
 */

/** A row as it is to be, by column. */
type Row = Readonly<Record<string, unknown>>;

/** Writes the rows, which all have the columns of the first; nothing when there are none. */
export async function insertRows(tx: Tx, table: keyof Tables, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = columnList(Object.keys(first));
  await sql`insert into ${sql.table(table)} (${columns})
    select ${columns} from ${recordset(table, rows as readonly Row[])} as n`.execute(tx);
}

/** Which rows to change, and how. */
export interface RowUpdate {
  readonly table: keyof Tables;
  readonly key: readonly string[];
  /** Columns that take the value of the row. */
  readonly columns: readonly string[];
  readonly rows: readonly object[];
  /** A row is changed only while the column has the value given here for it, in the order of the rows. */
  readonly unchanged?: { readonly column: string; readonly values: readonly (number | bigint)[] };
}

/** Changes rows by their key and returns how many there were. */
export async function updateRows(tx: Tx, { table, key, columns, rows, unchanged }: RowUpdate): Promise<number> {
  if (rows.length === 0) return 0;
  const sets = sql.join([...new Set(columns)].map(name => sql`${sql.ref(name)} = ${sql.ref(`n.${name}`)}`));
  const keys = sql.join(
    key.map(name => sql`${sql.ref(`t.${name}`)} = ${sql.ref(`n.${name}`)}`),
    sql` and `,
  );
  const narrowed = rows.map(row => pick(row as Row, [...key, ...columns]));
  const guards = unchanged === undefined ? null : unchanged.values.map(String);
  const guard =
    unchanged === undefined
      ? sql``
      : sql` and ${sql.ref(`t.${unchanged.column}`)} = (${guards}::bigint[])[n.ordinality]`;
  const result = await sql`update ${sql.table(table)} t set ${sets}
    from ${recordset(table, narrowed)} with ordinality as n
    where ${keys}${guard}`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map(name => [name, row[name]]));
}

function columnList(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map(name => sql.ref(name)));
}

/** A replacer would be called for every value within; amounts stand in the columns themselves. */
function withTextAmounts(row: Row): Row {
  const copy: Record<string, unknown> = {};
  for (const name in row) {
    const value = row[name];
    copy[name] = typeof value === 'bigint' ? value.toString() : value;
  }
  return copy;
}

function recordset(table: keyof Tables, rows: readonly Row[]): RawBuilder<unknown> {
  const text = JSON.stringify(rows.map(withTextAmounts));
  return sql`json_populate_recordset(null::${sql.table(table)}, ${text}::json)`;
}
