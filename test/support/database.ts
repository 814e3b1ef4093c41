import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run, and its template database: the migrated schema without rows. */
    testServer: { readonly server: pg.PoolConfig; readonly template: string };
  }
}

/** The database of one test file. */
export interface TestDatabase extends Database {
  readonly name: string;
  readonly connection: pg.PoolConfig;
  /** Closes the pool and drops the database, even with open connections. */
  drop(): Promise<void>;
}

/** Makes a database. `migrated`: tables without rows. `empty`: no tables. Drop it at the end of the file. */
export async function createTestDatabase(content: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  return await copyDatabase(content === 'migrated' ? inject('testServer').template : 'template0');
}

/** Copies a database that has no open connection. Drop the copy at the end of the file. */
export async function copyDatabase(original: string): Promise<TestDatabase> {
  const { server, template } = inject('testServer');
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await atServer(`create database ${name} template ${original} strategy file_copy`);
  const connection = atDatabase(server, name);
  const database = createDatabase({ connection });
  return {
    ...database,
    name,
    connection,
    drop: async () => {
      await database.close();
      await dropDatabase(name);
    },
  };
}

/** Tries again while autovacuum works in the database, because an ordinary user cannot stop autovacuum. */
async function dropDatabase(name: string, tries = 40): Promise<void> {
  try {
    await atServer(`drop database ${name} with (force)`);
  } catch (error) {
    const isCleaned = (error as { code?: unknown }).code === '42501' && tries > 1;
    if (!isCleaned) throw error;
    await sleep(250);
    await dropDatabase(name, tries - 1);
  }
}

/** This worker's connections for making and dropping databases, for all its test files. */
let makers: pg.Pool | undefined;

async function atServer(sql: string): Promise<void> {
  // Without the listener, a broken idle connection would end the worker.
  makers ??= new pg.Pool({ ...inject('testServer').server, max: 2, allowExitOnIdle: true }).on(
    'error',
    () => undefined,
  );
  await makers.query(sql);
}

/** The `DATABASE_URL` of the database, for another process. */
export function urlOf({ connection }: Pick<TestDatabase, 'connection'>): string {
  const { connectionString, host, port, user, password, database: name } = connection;
  if (connectionString !== undefined) return connectionString;
  const account = `${user}:${encodeURIComponent(String(password))}`;
  return `postgres://${account}@localhost/${name}?host=${encodeURIComponent(host ?? '')}&port=${port}&sslmode=disable`;
}

export function atDatabase(server: pg.PoolConfig, database: string): pg.PoolConfig {
  if (!server.connectionString) return { ...server, database };
  const url = new URL(server.connectionString);
  url.pathname = `/${database}`;
  return { ...server, connectionString: url.href };
}

/** Runs one statement on a new connection. */
export async function execute<Row extends pg.QueryResultRow>(connection: pg.ClientConfig, sql: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
