import { addSeconds, type Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import { countWaitingMails, findLoneMails, keepMails } from './mail.store.ts';

/** What a process without a mail server does about mails. */
export interface MailKeeper {
  /** Keeps what is to be kept, and returns how many mails that were. */
  run(): Promise<number>;
  /** What the operator should see to. */
  readonly remarks: () => readonly string[];
}

interface MailKeeperDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** A mail of test mode that no process with a mail server has come for within so many seconds is kept. */
  readonly keepSeconds: number;
}

/** Mails of test mode that are looked at in a pass. */
const batch = 500;
/** Mails of live mode may take so long before they are remarked on, in seconds. */
const patienceSeconds = 30;

/**
 * Keeps the mails of test mode, to be shown, where no process of the database has a mail server, or none has it any more.
 * Mails of live mode are somebody's invoices: they wait until a process has one, and the operator is told.
 */
export function createMailKeeper({ db, clock, keepSeconds }: MailKeeperDeps): MailKeeper {
  let seen: ReadonlyMap<string, Date> = new Map();
  let waiting = 0;
  return {
    run: async () => {
      const now = clock.now();
      waiting = await countWaitingMails(db, addSeconds(now, -patienceSeconds));
      const lone = await findLoneMails(db, { now, limit: batch });
      seen = new Map(lone.map(id => [id, seen.get(id) ?? now]));
      const latest = addSeconds(now, -keepSeconds);
      const stale = lone.filter(id => (seen.get(id) ?? now) <= latest);
      return stale.length === 0 ? 0 : await keepMails(db, { now, ids: stale });
    },
    remarks: () => {
      if (waiting === 0) return [];
      return [
        `mail: SMTP_URL is not set, ${waiting} ${waiting === 1 ? 'mail of live mode waits' : 'mails of live mode wait'}`,
      ];
    },
  };
}
