import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/server/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const program = join(import.meta.dirname, 'fixtures/run-migrations.ts');

describe('migrate', () => {
  let database: TestDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await createTestDatabase('empty');
    folder = await mkdtemp(join(tmpdir(), 'pay-migrations-'));
    await write('0001_shops.sql', 'create table shops (name text); insert into shops values (1);');
    await write('0002_towns.sql', 'create table towns (name text);');
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const write = (file: string, sql: string) => writeFile(join(folder, file), sql);
  const read = async (sql: string) => (await database.pool.query({ text: sql, rowMode: 'array' })).rows.flat();

  it('applies missing migrations, in order and once', async () => {
    await write('0010_last.sql', 'insert into shops select name from towns;');
    expect(await migrate(database.pool, folder)).toEqual(['0001_shops', '0002_towns', '0010_last']);
    expect(await migrate(database.pool, folder)).toEqual([]);
    await write('0011_more.sql', 'insert into shops values (2);');
    expect(await migrate(database.pool, folder)).toEqual(['0011_more']);
    expect(await read('select name from shops')).toEqual(['1', '2']);
  });

  it('lets five processes start concurrently, and applies each file in one of them', async () => {
    const connection = JSON.stringify(database.connection);
    const starts = Array.from({ length: 5 }, () =>
      promisify(execFile)(process.execPath, [program, connection, folder]),
    );
    const applied = (await Promise.all(starts)).flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    expect(applied.toSorted()).toEqual(['0001_shops', '0002_towns']);
    expect(await read('select name from shops')).toEqual(['1']);
  });

  it('rolls back a failed file, and keeps the files before it', async () => {
    await write('0003_wrong.sql', 'insert into shops values (3); insert into nowhere values (1);');
    await expect(migrate(database.pool, folder)).rejects.toThrow(
      'The migration 0003_wrong failed: relation "nowhere" does not exist.',
    );
    expect(await read('select name from shops')).toEqual(['1']);
    expect(await read('select name from schema_migrations order by version')).toEqual(['0001_shops', '0002_towns']);
    await write('0003_wrong.sql', 'insert into shops values (3);');
    expect(await migrate(database.pool, folder)).toEqual(['0003_wrong']);
  });

  it.each([
    {
      change: 'an applied file that was changed',
      make: () => write('0001_shops.sql', 'create table shops (name text, town text);'),
      sentence:
        'a pre-release made it, with another migration 0001_shops. Such a database cannot be upgraded. ' +
        'Set DATABASE_URL or PAY_DATA_DIR to a new, empty one.',
    },
    {
      change: 'a newer file of another server that is marked as breaking',
      make: async () => {
        await write('0003_rename.sql', '--! breaking-change\nalter table shops rename to stores;');
        await migrate(database.pool, folder);
        await rm(join(folder, '0003_rename.sql'));
      },
      sentence: 'a newer version has applied the migration 0003_rename, which this version cannot work with.',
    },
    {
      change: 'a file numbered below an applied one',
      make: async () => {
        await write('0004_later.sql', 'select 1;');
        await migrate(database.pool, folder);
        await write('0003_late.sql', 'drop table shops;');
      },
      sentence: 'the migration 0003_late has a lower number than 4, which is already applied.',
    },
  ])('refuses $change', async ({ make, sentence }) => {
    await migrate(database.pool, folder);
    await make();
    await expect(migrate(database.pool, folder)).rejects.toThrow(
      `The database does not fit this version of the server: ${sentence}`,
    );
  });

  it('accepts compatible newer migrations of another server, and other line endings', async () => {
    await write('0001_shops.sql', 'create table shops (name text);\ninsert into shops values (1);\n');
    await write('0003_more.sql', 'alter table shops add town text;');
    await migrate(database.pool, folder);
    await rm(join(folder, '0003_more.sql'));
    await write('0001_shops.sql', 'create table shops (name text);\r\ninsert into shops values (1);\r\n');
    expect(await migrate(database.pool, folder)).toEqual([]);
  });

  it.each([
    { file: '3_short.sql', sentence: 'The migration 3_short.sql is not named like 0001_what_it_does.sql.' },
    { file: '0002_twin.sql', sentence: 'Two migrations in FOLDER have the number 2.' },
  ])('refuses the name $file', async ({ file, sentence }) => {
    await write(file, 'select 1;');
    await expect(migrate(database.pool, folder)).rejects.toThrow(sentence.replace('FOLDER', folder));
  });
});
