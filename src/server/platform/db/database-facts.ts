import { sql } from 'kysely';
import type { Executor } from './database.ts';

/** The version of PostgreSQL, such as `18.1`, and the time on the database's machine. */
export interface DatabaseFacts {
  readonly version: string;
  readonly now: Date;
}

/** Reads the facts. Throws if the database cannot be reached. */
export async function readDatabaseFacts(db: Executor): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select split_part(current_setting('server_version'), ' ', 1) as version, clock_timestamp() as now`.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error('the database did not answer');
  return facts;
}
