import { sql } from 'kysely';
import type { Executor } from '../db/database.ts';

/** Highest migration applied, and the highest that older servers cannot work with (0: none). */
export interface SchemaVersion {
  readonly newest: number;
  readonly newestBreaking: number;
}

/** Reads the schema's version. Throws when the database cannot be reached. */
export async function readSchemaVersion(db: Executor): Promise<SchemaVersion> {
  const { rows } = await sql<SchemaVersion>`
    select coalesce(max(version), 0) as "newest",
           coalesce(max(version) filter (where is_breaking), 0) as "newestBreaking"
    from schema_migrations`.execute(db);
  return rows[0] ?? { newest: 0, newestBreaking: 0 };
}
