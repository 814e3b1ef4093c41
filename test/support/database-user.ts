import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { EmbeddedConnection } from '../../src/server/platform/db/embedded/embedded-postgres.ts';

export interface DatabaseUser {
  readonly connection: EmbeddedConnection;
  /** The process's log lines. Each begins with the level. */
  readonly logged: readonly string[];
  /** Makes the process release the database and exit. */
  release(): Promise<void>;
  /** Kills the process, as the kernel does if memory runs out. */
  kill(): Promise<void>;
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly connection?: EmbeddedConnection;
}

/** The program of these processes. It uses the database of a data folder until its standard input ends. */
export const databaseUserProgram = join(import.meta.dirname, '../server/db/fixtures/use-database.ts');

/** The environment of these processes. Cached compiled code saves a third of the CPU time of their start. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/tests') };

/** Starts a process that uses the database of a data folder, and waits until it is connected. */
export async function startDatabaseUser(dataDir: string): Promise<DatabaseUser> {
  const child = spawn(process.execPath, [databaseUserProgram, dataDir], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const logged: string[] = [];
  const connection = await new Promise<EmbeddedConnection>((resolve, reject) => {
    createInterface(child.stdout).on('line', text => {
      const line = JSON.parse(text) as Line;
      if (line.connection) resolve(line.connection);
      else logged.push(`${line.level} ${line.message}`);
    });
    ended.then(([code]) => reject(new Error(`The database user ended with ${code}.`)));
  });
  return {
    connection,
    logged,
    release: async () => {
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
