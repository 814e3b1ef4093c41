import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { PayError } from '../../../../core/error.ts';
import { type Cluster, ensureServer, openCluster, stopServer } from './embedded-cluster.ts';

export type { EmbeddedConnection } from './embedded-cluster.ts';

const retryMs = 5_000;

/** A use of the embedded PostgreSQL. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

interface EmbeddedPostgresOptions {
  /** `PAY_DATA_DIR`; created when missing. */
  readonly dataDir: string;
  readonly log: { info(message: string): void; error(message: string): void };
}

/**
 * Runs a PostgreSQL in the data folder for operators without one. It starts on demand as a separate process, is shared
 * by all processes with the same data folder, and stops with the last of them. A crashed server is started again.
 * Throws `unavailable` with one sentence that says what is wrong and what to do.
 */
export async function startEmbeddedPostgres({ dataDir, log }: EmbeddedPostgresOptions) {
  const cluster = await openCluster(dataDir);
  // Every process that uses the server shares a lock on this file; an exclusive lock proves that none does.
  const usesPath = join(cluster.folder, 'postgres.uses');
  const { connection, line, use } = await inTurn(cluster, () => takeUse(cluster, usesPath));
  const endWatch = watchServer(cluster, log, line);
  const release = async (): Promise<void> => {
    await endWatch();
    use.release();
    const everyUse = tryLock(usesPath, 'exclusive');
    if (everyUse) await stopServer(cluster).finally(everyUse.release);
  };
  let released: Promise<void> | undefined;
  return {
    connection,
    /** Ends this use; the last one of all processes stops the server. Close your connections first. */
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

/** Brings the server back whenever it is lost. Returns how to end the watch. */
function watchServer(cluster: Cluster, log: EmbeddedPostgresOptions['log'], first: pg.Client): () => Promise<void> {
  let line = first;
  let isOver = false;
  const hold = (next: pg.Client): void => {
    line = next;
    line.once('end', () => void (isOver || bringBack()));
  };
  const bringBack = async (): Promise<void> => {
    log.error(`The embedded PostgreSQL was lost and is started again; its log is ${cluster.log}.`);
    while (!isOver) {
      try {
        return await inTurn(cluster, async () => {
          if (isOver) return;
          hold((await ensureServer(cluster)).line);
          log.info('The embedded PostgreSQL is back.');
        });
      } catch (error) {
        log.error(`The embedded PostgreSQL is not back: ${error instanceof Error ? error.message : error}`);
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
 * Takes a file lock of the operating system; null when another process holds it. The kernel drops the lock when its
 * process ends, so no stale locks exist. Node has no `flock`, but its SQLite locks files on every platform: a reading
 * transaction shares the file, an exclusive one has it alone. Nothing is written.
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

/** Lets one process at a time create, start or stop the server. Throws `unavailable` after two minutes. */
async function inTurn<T>(cluster: Cluster, work: () => Promise<T>): Promise<T> {
  const path = join(cluster.folder, 'postgres.lock');
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
