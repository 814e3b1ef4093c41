import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPayClient, type PayClient } from '../../src/api/client.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { startServerProcess } from '../support/server-process.ts';

const program = join(import.meta.dirname, '../../dist/server/main.js');

/** A command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
  /** Ends it as Ctrl-C does. */
  interrupt(): Promise<Ended>;
}

/** Starts the built program as a process. Only the given variables name a service, a key or a database. */
export function startCommand(args: readonly string[], settings: Record<string, string | undefined>): Running {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, ...settings };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', bytes => {
      texts[name] += bytes;
    });
  }
  const ended = new Promise<Ended>(resolve => child.once('close', code => resolve({ code, ...texts })));
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** Runs the built program to its end. */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string | undefined>,
): Promise<Ended> {
  return await startCommand(args, settings).ended;
}

/** A service in a process of its own, whose first start made the data folder and the keys. */
export async function startLab() {
  const dataDir = makeDataFolder('pay-cli-');
  const server = await startServerProcess({ PAY_DATA_DIR: dataDir });
  const key = /sk_test_\w+/.exec(server.output())?.[0] ?? '';
  /** What a shell on the same machine has. */
  const settings = { PAY_DATA_DIR: dataDir, PORT: new URL(server.url).port };
  const pay: PayClient = createPayClient({ baseUrl: server.url, apiKey: key, maxRetries: 0 });
  return {
    ...{ url: server.url, key, pay, settings, dataDir },
    /** Runs a command to its end, by default without a key. */
    run: (line: string, more: Record<string, string> = {}) => runCommand(line.split(' '), { ...settings, ...more }),
    start: (line: string, more: Record<string, string> = {}) => startCommand(line.split(' '), { ...settings, ...more }),
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Lab = Awaited<ReturnType<typeof startLab>>;
