import type { Db } from '../db/database.ts';
import type { Log } from '../logging.ts';
import { readSchemaVersion } from './readiness.store.ts';

/** Looks whether a newer version of the server has changed the database since this one began, or before. */
export interface SchemaWatch {
  /** Looks now, and every few seconds from now on. Rejects while the database is away. */
  start(): Promise<void>;
  stop(): void;
  /** Looks now. Rejects while the database is away. */
  look(): Promise<void>;
  /** Whether this server must leave the database alone, by the last look. */
  readonly isTooNew: () => boolean;
  /** What the operator should know, by the last look. */
  readonly remarks: () => readonly string[];
}

/** What the watch needs. */
export interface SchemaWatchDeps {
  readonly db: Db;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** The newest migration that this server knows; null: what the database is at when it is first looked at. */
  readonly known: number | null;
}

const everyMs = 3_000;

/** Makes the watch. */
export function createSchemaWatch({ db, log, ...deps }: SchemaWatchDeps): SchemaWatch {
  let known = deps.known;
  let newest = 0;
  let isTooNew = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const version = await readSchemaVersion(db);
    known ??= version.newest;
    newest = version.newest;
    const was = isTooNew;
    isTooNew = version.newestBreaking > known;
    if (isTooNew && !was) {
      log.error(
        { newest, known },
        'a newer version of the server has changed the database: this one does no more work',
      );
    }
    if (was && !isTooNew) log.info({ newest, known }, 'the database fits again: work goes on');
  }
  return {
    look,
    start: async () => {
      await look();
      // While the database is away nothing is known of it, and nothing can be done to it.
      timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
    },
    stop: () => clearInterval(timer),
    isTooNew: () => isTooNew,
    remarks: () =>
      known !== null && newest > known ? [`database: schema ${newest} is newer than this server's (${known})`] : [],
  };
}
