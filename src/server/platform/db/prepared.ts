import type { QueryResult, RawBuilder } from 'kysely';
import type { Executor } from './database.ts';

/** "Cached plan must not change result type": a migration has changed a table that the statement reads. */
const planIsOld = '0A000';
/** Maximum number of prepared statements. Without it, texts that vary by mistake would fill the database's memory. */
const mostStatements = 200;
/** Maximum number of rows. The plan of a prepared statement expects few; with many, its loops could take minutes. */
const mostRows = 100;

/** The name of each prepared statement by its text. */
const names = new Map<string, string>();
let count = 0;

/**
 * Executes a statement that each connection prepares once, by name. Use it for frequent statements with a constant text
 * that take longer to plan than to run. With many rows, the statement is not prepared but planned for them. After a
 * migration that changes its result columns, the statement fails once.
 */
export async function executePrepared<Row>(db: Executor, query: RawBuilder<Row>): Promise<QueryResult<Row>> {
  const compiled = query.compile(db);
  const name = compiled.parameters.some(parameter => valuesIn(parameter) > mostRows) ? null : nameOf(compiled.sql);
  if (name === null) return await db.executeQuery(compiled);
  // Kysely does not support named statements, but passes `sql` unchanged to `pg`, which accepts an object.
  const statement = { name, text: compiled.sql } as unknown as string;
  try {
    return await db.executeQuery({ ...compiled, sql: statement });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === planIsOld) names.delete(compiled.sql);
    throw error;
  }
}

/** The statement's name. Null if the process has already prepared the maximum number of statements. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (count >= mostStatements) return null;
  const name = `prepared_${++count}`;
  names.set(text, name);
  return name;
}

/** Number of values of an array parameter. 1 for any other parameter. */
function valuesIn(parameter: unknown): number {
  if (Array.isArray(parameter)) return parameter.length;
  // PostgreSQL's binary arrays (`array_recv`) begin with dimensions, flags, type and length, four bytes each.
  return Buffer.isBuffer(parameter) && parameter.length >= 16 ? parameter.readInt32BE(12) : 1;
}
