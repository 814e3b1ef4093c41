import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenedDatabase, openDatabase, pendingSchemaChanges } from '../../server/open-database.ts';
import { readDatabaseFacts } from '../../server/platform/db/database-facts.ts';
import { createLog, readable } from '../../server/platform/logging.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { CliError, reasonOf } from '../cli-error.ts';

/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The service's settings and database on this machine. */
export interface Machine extends OpenedDatabase {
  readonly config: Config;
}

/** Whether the database exists already. A database of DATABASE_URL always counts as existing. */
export function hasDatabase({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl !== null || existsSync(join(dataDir, 'postgres'));
}

/** The address or folder of the database, without its password. */
export function databaseName({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === null) return `the data folder ${dataDir}`;
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

/**
 * Opens the database of the settings for `work`, and closes it afterwards. Throws ConfigError for wrong settings, and
 * CliError when the database does not exist, does not answer or lacks migrations.
 */
export async function withMachine<T>(environment: Environment, work: (machine: Machine) => Promise<T>): Promise<T> {
  const config = readConfig(environment);
  if (!hasDatabase(config)) {
    throw new CliError(
      `There is no database in ${databaseName(config)}. Start the service first, or set PAY_DATA_DIR.`,
    );
  }
  const opened = await openMachine(config);
  const answered = async () => {
    await readDatabaseFacts(opened.database.db).catch(cause => {
      throw new CliError(`${databaseName(config)} cannot be used: ${reasonOf(cause)} (check DATABASE_URL).`, { cause });
    });
    if ((await pendingSchemaChanges(opened.connection)).length === 0) return;
    throw new CliError(`${databaseName(config)} lacks migrations. Run "pay-checkout migrate", or start the service.`);
  };
  return await answered()
    .then(() => work({ config, ...opened }))
    .finally(opened.close);
}

/** Opens the database of the settings. Creates the embedded database if it is missing. Errors are logged to stderr. */
export async function openMachine(config: Config): Promise<OpenedDatabase> {
  return await openDatabase(
    config,
    createLog({ logLevel: 'error' }, line => process.stderr.write(readable(line))),
  );
}
