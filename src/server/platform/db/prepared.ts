import { createHash } from 'node:crypto';
import type { QueryResult, RawBuilder } from 'kysely';
import type { Executor } from './database.ts';

/** "Cached plan must not change result type": a migration has changed a table of the statement. */
const planIsOld = '0A000';

/** Part of every name, so that a statement can be prepared anew on all connections. */
let generation = 0;

/**
 * Executes a statement that each connection prepares once, by name. Use it for statements that run often and take longer
 * to plan than to run, and whose text never varies: a connection keeps each text for as long as it lives. After a
 * migration that changes the result's columns the statement fails once.
 */
export async function executePrepared<Row>(db: Executor, query: RawBuilder<Row>): Promise<QueryResult<Row>> {
  const compiled = query.compile(db);
  const name = `${generation}_${createHash('sha1').update(compiled.sql).digest('base64url')}`;
  // Kysely has no name for a statement. It hands `sql` on to `pg`, which also takes an object there.
  const statement = { name, text: compiled.sql } as unknown as string;
  try {
    return await db.executeQuery({ ...compiled, sql: statement });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === planIsOld) generation++;
    throw error;
  }
}
