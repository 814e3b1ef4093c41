import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../../../core/error.ts';

/** `shared`: many processes may hold it at once; `exclusive`: one alone. */
export type LockMode = 'shared' | 'exclusive';

/** A lock held until it is released or its process ends. */
export interface FileLock {
  release(): void;
}

const sqliteBusy = 5;
const pauseMs = 20;
const patienceSeconds = 120;

/**
 * Takes a lock of the operating system on a file, or answers null when another holder is in the way. The kernel drops
 * the lock the moment its process ends, however it ends, so there is no stale lock and no recycled process id to fear.
 * Node has no flock of its own; SQLite, which is part of Node, takes one on every platform: a reading transaction
 * shares the file, an exclusive one has it alone. Nothing is ever written to it.
 */
export function tryLock(path: string, mode: LockMode): FileLock | null {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('pragma journal_mode = off');
    file.exec(mode === 'exclusive' ? 'begin exclusive' : 'begin; select 1 from sqlite_schema');
    chmodSync(path, 0o600);
    return { release: () => file.close() };
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null;
    throw error;
  }
}

/** Does some work while nobody else does. Throws `unavailable` when the file stays locked for two minutes. */
export async function withExclusiveLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; waitedMs < patienceSeconds * 1000; waitedMs += pauseMs) {
    const lock = tryLock(path, 'exclusive');
    if (lock) return work().finally(lock.release);
    await sleep(pauseMs);
  }
  throw new PayError(
    'unavailable',
    `Another process has been starting or stopping the embedded PostgreSQL for ${patienceSeconds} seconds and holds ${path}.`,
  );
}
