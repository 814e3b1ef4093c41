import { join } from 'node:path';
import type pg from 'pg';
import type { Log } from './platform/logging.ts';
import type { Config } from './settings/config.ts';

/**
 * Milliseconds without traffic after which a database connection in use is closed, during startup. The limit is high,
 * because a first start writes much, perhaps to a slow disk.
 */
const startSilenceMs = 60_000;

/** The folder of the migrations. In the sources and in the bundle, it is next to this file. */
const shippedMigrations = join(import.meta.dirname, 'platform/db/migrations');

/** The service's database, and the settings for further connections. */
export type OpenedDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** Opens the database of `databaseUrl`. Without a URL, opens the embedded PostgreSQL, and starts it if necessary. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'databaseConnections'>,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
) {
  const [{ createDatabase }, { mostStatements }] = await Promise.all([
    import('./platform/db/database.ts'),
    import('./platform/db/database-memory.ts'),
  ]);
  const { databaseUrl, dataDir } = config;
  const embedded =
    databaseUrl === null
      ? await (await import('./platform/db/embedded/embedded-postgres.ts')).startEmbeddedPostgres({ dataDir, log })
      : null;
  const connection: pg.ClientConfig = embedded?.connection ?? { connectionString: databaseUrl ?? '' };
  const database = createDatabase({
    connection,
    max: config.databaseConnections,
    silenceMs: startSilenceMs,
    onError: ({ message }) => log.warn({ reason: message }, 'an idle database connection was lost'),
    onStatementsFull: () => log.warn({ mostStatements }, 'further frequent statements are planned at each call'),
  });
  return {
    database,
    connection,
    close: async () => {
      await database.close();
      await embedded?.release();
    },
  };
}

/**
 * Applies the missing migrations over its own connection, without a time limit. Returns the names of the applied
 * migrations, and the number of the newest known migration. Throws `unavailable` if the database does not fit this
 * version of the server.
 */
export async function migrateSchema(connection: pg.ClientConfig) {
  const [{ createDatabase }, { migrate, newestMigration }] = await Promise.all([
    import('./platform/db/database.ts'),
    import('./platform/db/migrate.ts'),
  ]);
  const { pool, close } = createDatabase({ connection, max: 1, silenceMs: 0 });
  const applied = await migrate(pool, shippedMigrations).finally(close);
  return { applied, version: await newestMigration(shippedMigrations) };
}

/** The names of the missing migrations. Changes nothing. Throws `unavailable` as `migrateSchema` does. */
export async function pendingSchemaChanges(connection: pg.ClientConfig): Promise<readonly string[]> {
  const [{ createDatabase }, { pendingMigrations }] = await Promise.all([
    import('./platform/db/database.ts'),
    import('./platform/db/migrate.ts'),
  ]);
  const { pool, close } = createDatabase({ connection, max: 1 });
  return await pendingMigrations(pool, shippedMigrations).finally(close);
}
