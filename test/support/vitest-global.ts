import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createDatabase } from '../../src/server/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/db/embedded-postgres.ts';
import { migrate, migrationsFolder } from '../../src/server/db/migrate.ts';
import { atDatabase, execute } from './database.ts';

/** One PostgreSQL for the whole run (an embedded one, or that of TEST_DATABASE_URL) with a migrated template database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
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
  const dataDir = await mkdtemp(join(tmpdir(), 'pay-test-'));
  const embedded = await startEmbeddedPostgres({ dataDir, log: console });
  return {
    server: embedded.connection,
    stop: async () => {
      await embedded.release();
      await rm(dataDir, { recursive: true });
    },
  };
}
