import { addSeconds, type Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import { countWaitingMails, keepTestMails, mailServerSeenAt } from './mail.store.ts';

/** The part of a process without a mail server in what becomes of mails. */
export interface MailKeeper {
  /** Ends mails of test mode that no process will send, and returns how many. */
  run(): Promise<number>;
  /** Sentences for the operator. */
  readonly remarks: () => readonly string[];
}

interface MailKeeperDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Seconds after the start in which a process with a mail server may show up first. */
  readonly keepSeconds: number;
}

/** Mails that end in one pass. */
const batch = 500;
/** Mails of live mode may wait this long before the operator reads of them, in seconds. */
const patienceSeconds = 30;
/** A mail server that was unseen for this long does not come back, in seconds: longer than a deploy or an outage takes. */
const abandonedSeconds = 3_600;

/**
 * Keeps mails of test mode for the outbox page where no process of the database has a mail server. Mails of live mode wait until
 * a process has one, and the operator is told.
 */
export function createMailKeeper({ db, clock, keepSeconds }: MailKeeperDeps): MailKeeper {
  const startedAt = clock.now();
  let waiting = 0;
  return {
    run: async () => {
      const now = clock.now();
      waiting = await countWaitingMails(db, addSeconds(now, -patienceSeconds));
      if (now < addSeconds(startedAt, keepSeconds)) return 0;
      const seenAt = await mailServerSeenAt(db);
      if (seenAt !== null && now < addSeconds(seenAt, abandonedSeconds)) return 0;
      return await keepTestMails(db, batch);
    },
    remarks: () => {
      if (waiting === 0) return [];
      const mails = waiting === 1 ? 'mail of live mode waits' : 'mails of live mode wait';
      return [`mail: SMTP_URL is not set, ${waiting} ${mails}`];
    },
  };
}
