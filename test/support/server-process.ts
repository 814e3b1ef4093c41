import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server in its own process. */
export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Milliseconds from the start of the process to its `ready` line. */
  readonly readyMs: number;
  /** The output until now. */
  output(): string;
  /** Sends a signal and waits for the end. Returns the exit code (null after SIGKILL). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const root = join(import.meta.dirname, '../..');

/** The arguments of Node in `npm run serve`: options of Node and the bundle. */
export function servedCommand(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { serve: string } };
  return scripts.serve.split(' ').slice(1);
}

/**
 * Starts the built server with these settings as `npm run serve` does, and waits for its `ready <url>` line. Rejects
 * with the output when the server ends before. `folder`: another installation.
 */
export async function startServerProcess(settings: Record<string, string>, folder = root): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, servedCommand(), {
    cwd: folder,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  const output = () => chunks.join('');
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  let isReady = false;
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      chunks.push(chunk.toString());
      const ready = isReady ? undefined : /^ready (\S+)$/m.exec(output())?.[1];
      if (ready === undefined) return;
      isReady = true;
      resolve(ready);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', code => reject(new Error(`the server ended with ${code}:\n${output()}`)));
  });
  return {
    url,
    process: child,
    readyMs: performance.now() - started,
    output,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return await ended;
    },
  };
}
