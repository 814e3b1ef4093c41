import { sql } from 'kysely';
import type { Executor } from '../db/database.ts';
import { executePrepared } from '../db/prepared.ts';

/**
 * Numbers of the newest migration and of the newest breaking migration (0: none). A server that does not know the
 * newest breaking migration stops its work.
 */
export interface SchemaVersion {
  readonly newest: number;
  readonly newestBreaking: number;
}

/** Reads the schema's version. Throws if the database cannot be reached. */
export async function readSchemaVersion(db: Executor): Promise<SchemaVersion> {
  const query = sql<SchemaVersion>`
    select coalesce(max(version), 0) as "newest",
           coalesce(max(version) filter (where is_breaking), 0) as "newestBreaking"
    from schema_migrations`;
  const { rows } = await executePrepared(db, query);
  return rows[0] ?? { newest: 0, newestBreaking: 0 };
}
