import { statfs } from 'node:fs/promises';
import { systemClock } from '../../core/clock.ts';
import { pendingSchemaChanges } from '../../server/open-database.ts';
import { readDatabaseFacts } from '../../server/platform/db/database-facts.ts';
import { findNetwork } from '../../server/platform/root-secret.store.ts';
import type { Config } from '../../server/settings/config.ts';
import { reasonOf } from '../cli-error.ts';
import { databaseName, hasDatabase, type Machine, openMachine } from '../machine/machine.ts';
import { type Finding, findingsOf } from './finding.ts';

const database = findingsOf('database');
const migrations = findingsOf('migrations');
const clock = findingsOf('clock');
const disk = findingsOf('disk');

/** The oldest supported major version of PostgreSQL. */
const oldestVersion = 15;
/** Clock differences in seconds. From `noticeable` on, the check warns; from `harmful` on, it fails. */
const [noticeable, harmful] = [5, 60];

/** Checks the database, its migrations and its network. Compares the machine's clock with the database's clock. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (!hasDatabase(config)) {
    return [database.warn(`There is none in ${databaseName(config)} yet.`, 'The first start of the service makes it.')];
  }
  try {
    const opened = await openMachine(config);
    return await examine({ config, ...opened }).finally(opened.close);
  } catch (error) {
    const action =
      config.databaseUrl === null
        ? `See postgres.log in ${config.dataDir}, and who may read that folder.`
        : 'Check DATABASE_URL, and that the database runs.';
    return [database.fail(`${databaseName(config)} cannot be used: ${reasonOf(error)}`, action)];
  }
}

async function examine(machine: Machine): Promise<Finding[]> {
  const { config, database: opened, connection } = machine;
  const before = systemClock.now();
  const { version, now } = await readDatabaseFacts(opened.db);
  const after = systemClock.now();
  const found = `PostgreSQL ${version} in ${databaseName(config)}`;
  const isOld = Number.parseInt(version, 10) < oldestVersion;
  const pending = await pendingSchemaChanges(connection).catch((error: Error) => error);
  const owner = Array.isArray(pending) && pending.length === 0 ? await findNetwork(opened.db) : null;
  return [
    isOld ? database.fail(`${found} is too old.`, `Use PostgreSQL ${oldestVersion} or newer.`) : database.ok(found),
    migrationsFinding(pending),
    ...(owner === null || owner === config.network ? [] : [foreign(owner, config)]),
    clockFinding(Math.max(before.getTime() - now.getTime(), now.getTime() - after.getTime(), 0) / 1000),
  ];
}

function migrationsFinding(pending: readonly string[] | Error): Finding {
  if (pending instanceof Error) return migrations.fail(pending.message, 'Start the version that fits the database.');
  if (pending.length === 0) return migrations.ok('all are applied');
  return migrations.warn(`${pending.join(', ')} not applied.`, 'Run "pay-checkout migrate", or start the service.');
}

function foreign(owner: string, { network }: Config): Finding {
  const message = `It belongs to the network ${owner}, but PAY_NETWORK is ${network}.`;
  return database.fail(message, 'Give each network a database of its own: another PAY_DATA_DIR or DATABASE_URL.');
}

function clockFinding(seconds: number): Finding {
  if (seconds < noticeable) return clock.ok('agrees with the clock of the database');
  const message = `It differs from the clock of the database by ${seconds.toFixed(0)} seconds.`;
  const action = 'Let a time service (chrony, systemd-timesyncd) set the clocks of both machines.';
  return seconds < harmful ? clock.warn(message, action) : clock.fail(message, action);
}

const gigabyte = 1e9;

/** Checks the free space of the embedded database's disk. */
export async function checkDisk(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== null || !hasDatabase(config)) return [];
  const { bavail, bsize } = await statfs(config.dataDir);
  const free = (bavail * bsize) / gigabyte;
  const message = `${free.toFixed(1)} GB are free in ${config.dataDir}`;
  if (free >= 2) return [disk.ok(message)];
  const action = 'Make room: a full disk stops all payments.';
  return [free >= 0.2 ? disk.warn(message, action) : disk.fail(message, action)];
}
