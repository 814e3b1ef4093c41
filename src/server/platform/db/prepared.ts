import type { QueryResult, RawBuilder } from 'kysely';
import type { Executor } from './database.ts';

/** "Cached plan must not change result type": a migration has changed a table of the statement. */
const planIsOld = '0A000';
/** Each connection keeps its prepared statements: texts that vary by mistake must not fill the database's memory. */
const mostStatements = 200;

/** The name of each prepared statement by its text. */
const names = new Map<string, string>();
let count = 0;

/**
 * Executes a statement that each connection prepares once, by name. Use it for statements that run often and take longer
 * to plan than to run, and whose text never varies. After a migration that changes the result's columns the statement
 * fails once.
 */
export async function executePrepared<Row>(db: Executor, query: RawBuilder<Row>): Promise<QueryResult<Row>> {
  const compiled = query.compile(db);
  const name = nameOf(compiled.sql);
  if (name === null) return await db.executeQuery(compiled);
  // Kysely has no name for a statement. It hands `sql` on to `pg`, which also takes an object there.
  const statement = { name, text: compiled.sql } as unknown as string;
  try {
    return await db.executeQuery({ ...compiled, sql: statement });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === planIsOld) names.delete(compiled.sql);
    throw error;
  }
}

/** Null when the process has prepared enough statements. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (count >= mostStatements) return null;
  const name = `prepared_${++count}`;
  names.set(text, name);
  return name;
}
