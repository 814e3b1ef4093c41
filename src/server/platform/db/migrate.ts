import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { PayError } from '../../../core/error.ts';

/** One numbered SQL file: `0001_platform.sql`. */
interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly isBreaking: boolean;
  readonly sql: string;
}

/** One row of `schema_migrations`. */
interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly is_breaking: boolean;
}

export const migrationsFolder = join(import.meta.dirname, 'migrations');

const breakingMark = '--! breaking-change';

/** The number of the database lock for migrations. It is arbitrary, but no other lock may use it. */
const advisoryLock = 7_094_225_310;

const openingSql = `
  begin;
  set local statement_timeout = 0;
  set local client_min_messages = warning;
  select pg_advisory_xact_lock(${advisoryLock});
  create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    is_breaking boolean not null,
    applied_at timestamptz not null default now()
  )`;

/**
 * Applies missing migrations in order, each in its own transaction. Several processes may call this at once. After a
 * file with the first line `--! breaking-change`, older servers refuse the database. Returns the names of the applied
 * files. Throws `unavailable` for a database that does not fit. Kysely's migrator is not used: it has no checksums,
 * reverts a whole run if one file fails, and rejects all newer schemas.
 */
export async function migrate(pool: pg.Pool, folder: string): Promise<readonly string[]> {
  const known = await readMigrations(folder);
  const names: string[] = [];
  for (;;) {
    const name = await applyNext(pool, known);
    if (!name) return names;
    names.push(name);
  }
}

export async function newestMigration(folder: string): Promise<number> {
  return (await readMigrations(folder)).at(-1)?.version ?? 0;
}

/** The missing migrations by name, in order. Changes nothing. Throws `unavailable` for a database that does not fit. */
export async function pendingMigrations(pool: pg.Pool, folder: string): Promise<readonly string[]> {
  const known = await readMigrations(folder);
  const { rows: found } = await pool.query<{ table: string | null }>(
    "select to_regclass('schema_migrations')::text as table",
  );
  if (found[0]?.table === null) return known.map(({ name }) => name);
  const { rows } = await pool.query<AppliedMigration>('select * from schema_migrations order by version');
  refuseMisfit(known, rows);
  return known.filter(({ version }) => !rows.some(row => row.version === version)).map(({ name }) => name);
}

async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql'));
  const migrations = await Promise.all(files.map(file => readMigration(folder, file)));
  migrations.sort((a, b) => a.version - b.version);
  for (const [index, migration] of migrations.entries()) {
    if (migration.version === migrations[index - 1]?.version) {
      throw new PayError('unavailable', `Two migrations in ${folder} have the number ${migration.version}.`);
    }
  }
  return migrations;
}

async function readMigration(folder: string, file: string): Promise<Migration> {
  const version = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1];
  if (!version) throw new PayError('unavailable', `The migration ${file} is not named like 0001_what_it_does.sql.`);
  // A Windows checkout may convert line ends. They are normalized, so that the checksum stays the same.
  const sql = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n');
  return {
    version: Number(version),
    name: file.slice(0, -'.sql'.length),
    checksum: createHash('sha256').update(sql).digest('hex'),
    isBreaking: sql.startsWith(breakingMark),
    sql,
  };
}

/** Checks and applies the next file, in one transaction with the lock. Returns null if no file is missing. */
async function applyNext(pool: pg.Pool, known: readonly Migration[]): Promise<string | null> {
  const client = await pool.connect();
  try {
    await client.query(openingSql);
    const { rows } = await client.query<AppliedMigration>('select * from schema_migrations order by version');
    refuseMisfit(known, rows);
    const next = known.find(migration => !rows.some(row => row.version === migration.version));
    if (next) await apply(client, next);
    await client.query('commit');
    client.release();
    return next?.name ?? null;
  } catch (error) {
    // Closing the connection rolls back, whatever state the transaction is in.
    client.release(true);
    throw error;
  }
}

async function apply(client: pg.PoolClient, { version, name, checksum, isBreaking, sql }: Migration): Promise<void> {
  await client.query(sql).catch(cause => {
    throw new PayError('unavailable', `The migration ${name} failed: ${cause.message}.`, { cause });
  });
  await client.query('insert into schema_migrations (version, name, checksum, is_breaking) values ($1, $2, $3, $4)', [
    version,
    name,
    checksum,
    isBreaking,
  ]);
}

function refuseMisfit(known: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const newest = applied.at(-1)?.version ?? 0;
  for (const row of applied) {
    const migration = known.find(candidate => candidate.version === row.version);
    if (migration && migration.checksum !== row.checksum) {
      throw misfit(
        `a pre-release made it, with another migration ${migration.name}. Such a database cannot be upgraded. ` +
          'Set DATABASE_URL or PAY_DATA_DIR to a new, empty one',
      );
    }
    if (!migration && row.is_breaking) {
      throw misfit(`a newer version has applied the migration ${row.name}, which this version cannot work with`);
    }
  }
  const late = known.find(({ version }) => version < newest && !applied.some(row => row.version === version));
  if (late) throw misfit(`the migration ${late.name} has a lower number than ${newest}, which is already applied`);
}

function misfit(reason: string): PayError {
  return new PayError('unavailable', `The database does not fit this version of the server: ${reason}.`);
}
