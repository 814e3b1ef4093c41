import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { PayError } from '../../../../core/error.ts';
import { type Cluster, ensureServer, openCluster, stopServer, stopServerNow } from './embedded-cluster.ts';

export type { EmbeddedConnection } from './embedded-cluster.ts';

const retryMs = 5_000;

/** A process's use of the embedded PostgreSQL. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

interface EmbeddedPostgresOptions {
  /** `PAY_DATA_DIR`. Created if missing. */
  readonly dataDir: string;
  readonly log: { info(message: string): void; error(message: string): void };
}

/**
 * Runs PostgreSQL in the data folder, for operators without a database. PostgreSQL is a separate process, which all
 * processes with this data folder share. It stops with the last of them, and restarts after a crash. Throws
 * `unavailable` with the problem and its solution.
 */
export async function startEmbeddedPostgres({ dataDir, log }: EmbeddedPostgresOptions) {
  const cluster = await openCluster(dataDir);
  // Each process that uses the server has a shared lock on this file. Getting an exclusive lock proves that no process
  // uses the server.
  const usesPath = join(cluster.folder, 'postgres.uses');
  const { connection, line, use } = await inTurn(cluster, () => takeUse(cluster, usesPath));
  const endWatch = watchServer(cluster, log, line);
  // A process that must end at once, such as after a second Ctrl-C, cannot wait for `release`.
  const abandon = (): void => {
    use.release();
    const everyUse = tryLock(usesPath, 'exclusive');
    if (everyUse) stopServerNow(cluster);
  };
  process.once('exit', abandon);
  const release = async (): Promise<void> => {
    process.off('exit', abandon);
    await endWatch();
    use.release();
    const everyUse = tryLock(usesPath, 'exclusive');
    if (everyUse) await stopServer(cluster).finally(everyUse.release);
  };
  let released: Promise<void> | undefined;
  return {
    connection,
    /** Ends this process's use. The last use stops the server. Close all connections first. */
    release: (): Promise<void> => {
      released ??= inTurn(cluster, release);
      return released;
    },
  };
}

async function takeUse(cluster: Cluster, path: string) {
  const use = tryLock(path, 'shared');
  if (!use) throw new PayError('unavailable', `Another program has locked ${path}.`);
  try {
    return { ...(await ensureServer(cluster)), use };
  } catch (error) {
    use.release();
    throw error;
  }
}

/** Restarts the server whenever it ends. Returns the function that stops the watch. */
function watchServer(cluster: Cluster, log: EmbeddedPostgresOptions['log'], first: pg.Client): () => Promise<void> {
  let line = first;
  let isOver = false;
  const hold = (next: pg.Client): void => {
    line = next;
    line.once('end', () => void (isOver || bringBack()));
  };
  const bringBack = async (): Promise<void> => {
    log.error(`The embedded PostgreSQL has stopped and is started again. Its log is ${cluster.log}.`);
    while (!isOver) {
      try {
        return await inTurn(cluster, async () => {
          if (isOver) return;
          hold((await ensureServer(cluster)).line);
          log.info('The embedded PostgreSQL runs again.');
        });
      } catch (error) {
        log.error(
          `The embedded PostgreSQL could not be started again: ${error instanceof Error ? error.message : error}`,
        );
        await sleep(retryMs, undefined, { ref: false });
      }
    }
  };
  hold(first);
  return () => {
    isOver = true;
    return line.end();
  };
}

const sqliteBusy = 5;
const pauseMs = 20;
const patienceSeconds = 120;

/**
 * Takes a file lock of the operating system. Null if another process has the lock. The kernel releases the lock when
 * its process ends, so no lock can be stale. Node has no `flock`, but SQLite locks files on all platforms. A read
 * transaction takes a shared lock, and an exclusive transaction takes an exclusive lock. Nothing is written.
 */
function tryLock(path: string, mode: 'shared' | 'exclusive') {
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

/**
 * Runs work under a lock, so that only one process at a time creates, starts or stops the server. Throws `unavailable`
 * after two minutes.
 */
async function inTurn<T>(cluster: Cluster, work: () => Promise<T>): Promise<T> {
  const path = join(cluster.folder, 'postgres.lock');
  for (let waitedMs = 0; waitedMs < patienceSeconds * 1000; waitedMs += pauseMs) {
    const lock = tryLock(path, 'exclusive');
    if (lock) return work().finally(lock.release);
    await sleep(pauseMs);
  }
  throw new PayError(
    'unavailable',
    `For ${patienceSeconds} seconds, another process has been starting or stopping the embedded PostgreSQL. It has locked ${path}.`,
  );
}
