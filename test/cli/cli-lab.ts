import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'node:util';
import { vi } from 'vitest';
import { createPayClient, type PayClient } from '../../src/api/client.ts';
import { runProgram } from '../../src/cli/program.ts';
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

type Settings = Readonly<Record<string, string | undefined>>;

/** Only the given variables name a service, a key or a database. */
function environmentOf(settings: Settings): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...settings };
}

/** Starts the built program as a process. */
export function startCommand(args: readonly string[], settings: Settings): Running {
  const env = environmentOf(settings);
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

/** Runs the built program as a process to its end. */
export async function runProcess(args: readonly string[], settings: Settings): Promise<Ended> {
  return await startCommand(args, settings).ended;
}

/** Runs a command to its end in this process, which starts no Node and loads no bundle. Run one at a time. */
export async function runCommand(args: readonly string[], settings: Settings): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const before = { env: process.env, code: process.exitCode, listeners: process.stdout.listeners('error') };
  const spies = [capture('stdout', 'log', texts), capture('stderr', 'error', texts)].flat();
  process.env = environmentOf(settings);
  process.exitCode = undefined;
  try {
    await runProgram(args);
    return { code: Number(process.exitCode ?? 0), ...texts };
  } finally {
    process.env = before.env;
    process.exitCode = before.code;
    for (const spy of spies) spy.mockRestore();
    for (const listener of process.stdout.listeners('error')) {
      if (!before.listeners.includes(listener)) process.stdout.off('error', listener as () => void);
    }
  }
}

/** Keeps what is written to a stream, directly or by the console. Vitest's console does not write to the stream. */
function capture(stream: 'stdout' | 'stderr', method: 'log' | 'error', texts: Record<typeof stream, string>) {
  const write = vi.spyOn(process[stream], 'write').mockImplementation(text => {
    texts[stream] += String(text);
    return true;
  });
  const print = vi.spyOn(console, method).mockImplementation((...parts) => {
    texts[stream] += `${format(...parts)}\n`;
  });
  return [write, print];
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
    url: server.url,
    key,
    pay,
    settings,
    dataDir,
    /** Runs a command to its end in this process, by default without a key. */
    run: (line: string, more: Record<string, string> = {}) => runCommand(line.split(' '), { ...settings, ...more }),
    /** Runs a command to its end in a process of its own. */
    runProcess: (line: string, more: Record<string, string> = {}) =>
      runProcess(line.split(' '), { ...settings, ...more }),
    start: (line: string, more: Record<string, string> = {}) => startCommand(line.split(' '), { ...settings, ...more }),
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Lab = Awaited<ReturnType<typeof startLab>>;
