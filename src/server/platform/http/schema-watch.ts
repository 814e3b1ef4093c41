import type { Db } from '../db/database.ts';
import type { Log } from '../logging.ts';
import { readSchemaVersion } from './readiness.store.ts';

/** Watches whether a newer version of the server has changed the database. */
export type SchemaWatch = ReturnType<typeof createSchemaWatch>;

interface SchemaWatchDeps {
  readonly db: Db;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** The newest migration that this server knows. Null: the newest migration in the database at the first check. */
  readonly known: number | null;
}

const everyMs = 5_000;

/** Creates the watch. `isTooNew` is true after a breaking migration that this server does not know. */
export function createSchemaWatch({ db, log, ...deps }: SchemaWatchDeps) {
  let known = deps.known;
  let newest = 0;
  let isTooNew = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    const version = await readSchemaVersion(db);
    known ??= version.newest;
    newest = version.newest;
    const was = isTooNew;
    isTooNew = version.newestBreaking > known;
    if (isTooNew && !was) {
      log.error(
        { newest, known },
        'a newer version of the server has changed the database; this server stops its work',
      );
    }
    if (was && !isTooNew) log.info({ newest, known }, 'the database fits this version again; work continues');
  }
  return {
    /** Checks now. Rejects while the database cannot be reached. */
    refresh,
    /** Checks now and every few seconds. Rejects while the database cannot be reached. */
    start: async () => {
      await refresh();
      timer = setInterval(() => void refresh().catch(() => undefined), everyMs).unref();
    },
    stop: () => clearInterval(timer),
    /** Whether this server must not use the database. */
    isTooNew: () => isTooNew,
    remarks: () =>
      known !== null && newest > known ? [`database: schema ${newest} is newer than this server's (${known})`] : [],
  };
}
