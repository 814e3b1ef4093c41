import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { PayError } from '../../../../core/error.ts';

/** Runs programs as the user that owns the database's files. */
export interface Account {
  /** The owner's user id. Null if the platform has no user ids. */
  readonly uid: number | null;
  /** Makes the account the owner of a file or folder. */
  own(path: string): Promise<void>;
  /** Runs a program and resolves to its output. If the program fails, throws an Error with the program's messages. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<string>;
}

interface RunOptions {
  /** Text for standard input. */
  readonly input?: string;
  /** Closes input and output of a program that starts a server. Otherwise the server would keep the pipes open. */
  readonly silent?: boolean;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** How to start a program: through `command`, or as the user `owner`. */
interface Launch {
  readonly command: readonly string[];
  readonly owner?: Owner;
}

const serverUser = 'postgres';

/**
 * Chooses the account for a data folder. An ordinary user runs the database as itself. PostgreSQL refuses to run as
 * root, so root runs it as the cluster's owner. A new cluster belongs to the system user `postgres`, which is created
 * if missing. Throws `unavailable` if an ordinary user does not own the cluster, or if no account can access the files.
 */
export async function chooseAccount(place: {
  readonly folder: string;
  readonly cluster: string;
  readonly program: string;
}): Promise<Account> {
  const uid = process.getuid?.() ?? null;
  const found = await stat(place.cluster).catch(() => null);
  if (uid !== 0) {
    if (uid !== null && found && found.uid !== uid) {
      throw new PayError(
        'unavailable',
        `${place.cluster} belongs to another user (uid ${found.uid}). Start as that user or as root, or set PAY_DATA_DIR to your own folder.`,
      );
    }
    return {
      uid,
      own: async () => undefined,
      run: (program, args, options) => run({ command: [] }, [program, ...args], options),
    };
  }
  const owner = found?.uid ? { uid: found.uid, gid: found.gid } : ((await findUser()) ?? (await createUser()));
  await chmod(place.folder, (await stat(place.folder)).mode | 0o011);
  const launch = await findLaunch(owner, place);
  return {
    uid: owner.uid,
    own: path => chown(path, owner.uid, owner.gid),
    run: (program, args, options) => run(launch, [program, ...args], options),
  };
}

/**
 * Finds a way for the owner to access the files. Other users cannot enter folders of root (/root, a `mktemp -d`), so
 * the server may keep one of root's capabilities. Containers often lack `dac_read_search` but have `dac_override`,
 * which allows more.
 */
async function findLaunch(owner: Owner, place: { readonly folder: string; readonly program: string }): Promise<Launch> {
  const powers = ['dac_read_search', 'dac_override'];
  for (const launch of [{ command: [], owner }, ...powers.map(power => ({ command: keepPower(owner, power) }))]) {
    const test = run(launch, ['sh', '-c', 'cd "$0" && "$1" --version', place.folder, place.program]);
    if (await test.catch(() => null)) return launch;
  }
  throw new PayError(
    'unavailable',
    `The embedded PostgreSQL runs as the user ${serverUser}, who cannot reach both ${place.folder} and ${place.program}. Let other users enter the folders above them (chmod o+x), or set DATABASE_URL to another PostgreSQL.`,
  );
}

/**
 * The command that keeps one capability. PostgreSQL finds its programs with access(2), which respects the capability
 * only with `no_setuid_fixup`.
 */
function keepPower(owner: Owner, power: string): string[] {
  const user = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const powers = ['--inh-caps', '--ambient-caps', '--bounding-set'].map(set => `${set}=-all,+${power}`);
  return ['setpriv', ...user, ...powers, '--securebits=+no_setuid_fixup', '--no-new-privs', '--'];
}

async function findUser(): Promise<Owner | null> {
  const id = async (flag: string): Promise<number> => Number(await run({ command: [] }, ['id', flag, serverUser]));
  return Promise.all([id('-u'), id('-g')])
    .then(([uid, gid]) => ({ uid, gid }))
    .catch(() => null);
}

async function createUser(): Promise<Owner> {
  const home = ['--no-create-home', '--home-dir=/nonexistent', '--shell=/usr/sbin/nologin'];
  const cause = await run({ command: [] }, ['useradd', '--system', '--user-group', ...home, serverUser]).then(
    () => null,
    error => error,
  );
  // Looks for the user even after a failed creation, because a concurrent start may have created the user.
  const owner = await findUser();
  if (owner) return owner;
  throw new PayError(
    'unavailable',
    `PostgreSQL does not run as root, and the system user ${serverUser} could not be created for it. Create that user, start as an ordinary user, or set DATABASE_URL to another PostgreSQL.`,
    { cause },
  );
}

async function run(launch: Launch, command: readonly string[], options: RunOptions = {}): Promise<string> {
  const [program = '', ...args] = [...launch.command, ...command];
  const child = spawn(program, args, {
    // Excludes the operator's environment (PGDATA, PGPORT, LC_ALL, …), which could change what the programs do.
    env: { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], LC_ALL: 'C' },
    stdio: options.silent ? 'ignore' : 'pipe',
    ...launch.owner,
  });
  child.stdin?.on('error', () => undefined).end(options.input);
  const [output, complaint, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  if (code === 0) return output;
  throw new Error(`${basename(command[0] ?? '')} ended with ${signal ?? code}: ${complaint.trim() || output.trim()}`);
}
