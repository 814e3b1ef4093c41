import type { Db } from '../db/database.ts';
import type { Log } from '../logging.ts';
import { readSchemaVersion } from './readiness.store.ts';

/** Watches whether a newer version of the server has changed the database. */
export type SchemaWatch = ReturnType<typeof createSchemaWatch>;

interface SchemaWatchDeps {
  readonly db: Db;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** The newest migration that this server knows; null: the newest that the first look finds. */
  readonly known: number | null;
}

const everyMs = 3_000;

/** Makes the watch. */
export function createSchemaWatch({ db, log, ...deps }: SchemaWatchDeps) {
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
    /** Looks now. Rejects while the database is away. */
    look,
    /** Looks now and every few seconds. Rejects while the database is away. */
    start: async () => {
      await look();
      timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
    },
    stop: () => clearInterval(timer),
    /** Whether this server must leave the database alone. */
    isTooNew: () => isTooNew,
    /** Sentences for the operator. */
    remarks: () =>
      known !== null && newest > known ? [`database: schema ${newest} is newer than this server's (${known})`] : [],
  };
}
