import { randomBytes } from 'node:crypto';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createDatabase } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { migrate, migrationsFolder } from '../../src/server/platform/db/migrate.ts';
import { build } from './built.ts';
import { makeDataFolder } from './data-folder.ts';
import { atDatabase, execute } from './database.ts';

/**
 * Builds, and starts one PostgreSQL for the whole run (embedded, or from TEST_DATABASE_URL) with a migrated template
 * database.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  build();
  const { server, stop } = await startServer(process.env['TEST_DATABASE_URL']);
  const template = `pay_test_${randomBytes(4).toString('hex')}`;
  await execute(server, `create database ${template} template template0`);
  const database = createDatabase({ connection: atDatabase(server, template), max: 1 });
  await migrate(database.pool, migrationsFolder);
  await database.close();
  project.provide('testServer', { server, template });
  return async () => {
    const left = await execute<{ name: string }>(
      server,
      `select datname as name from pg_database where starts_with(datname, '${template}')`,
    );
    for (const { name } of left) await execute(server, `drop database ${name} with (force)`);
    await stop();
  };
}

async function startServer(url: string | undefined): Promise<{ server: pg.PoolConfig; stop(): Promise<void> }> {
  if (url) return { server: { connectionString: url }, stop: async () => {} };
  const dataDir = makeDataFolder('pay-test-');
  const embedded = await startEmbeddedPostgres({ dataDir, log: console });
  await forgetAtPowerLoss(join(dataDir, 'postgres'));
  return {
    server: embedded.connection,
    stop: async () => {
      await embedded.release();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** Does not wait for the disk: tests create and drop hundreds of databases, which need not survive a crash. */
async function forgetAtPowerLoss(cluster: string): Promise<void> {
  await appendFile(join(cluster, 'postgresql.conf'), '\nfsync = off\nfull_page_writes = off\n');
  const [pid] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGHUP');
}
