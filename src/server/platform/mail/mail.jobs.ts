import { addSeconds, type Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import type { Sweep } from '../jobs/sweeper.ts';
import type { Merchant } from '../merchant.ts';
import {
  type ClaimedMail,
  claimMails,
  countWaitingMails,
  endAttempt,
  keepTestMails,
  mailServerSeenAt,
  noteMailServer,
  renewMail,
} from './mail.store.ts';
import { createMailDrawing, type MailDocuments, type MailDrawing } from './mail-documents.ts';
import { composeMessage } from './mail-message.ts';
import { noteOutcome, type Outcome, type OutcomeDeps, stopped } from './mail-outcome.ts';
import { createSmtpCircuitBreaker, type MailTransport, mailConnections } from './smtp-transport.ts';

/** What sending mails needs. */
export interface MailSweepDeps extends OutcomeDeps {
  readonly clock: Clock;
  /** Null: this process has no mail server. */
  readonly transport: MailTransport | null;
  /** The address mails come from. */
  readonly from: () => string;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  readonly documents: MailDocuments;
  /** Runs the sweep soon: `sweeper.wake`. */
  readonly wake: (sweep: string) => void;
  readonly options?: Partial<MailOptions>;
}

/** Figures that tests tighten. */
export interface MailOptions {
  /** How long a claimed mail is this process's own, to be drawn and handed over. */
  readonly leaseSeconds: number;
  /** How long it is when all of it was handed over: the server may think about it for so long. */
  readonly answerSeconds: number;
  /** An attempt is given up when no more than this is left of its lease. */
  readonly marginSeconds: number;
  /** A process without a mail server keeps a mail of test mode for which none with one has come within so long. */
  readonly keepSeconds: number;
  /** How long mails under way may go on when the process stops. What is cut off is sent by another. */
  readonly graceSeconds: number;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
}

const defaults: MailOptions = {
  ...{ leaseSeconds: 120, answerSeconds: 620, marginSeconds: 10 },
  ...{ keepSeconds: 10, graceSeconds: 3, random: Math.random },
};

/** A sweep that also says what the operator should see to. */
export interface MailSweep extends Sweep {
  readonly remarks: () => readonly string[];
}

/** The sweep that sends mails: wake it when mails were queued. */
export const mailSweep = 'mail.send';

/** Mails under way at a time in a process. Each holds its message, so none is drawn that would wait for a connection. */
const room = mailConnections;
/** How long a process that stops, and has cut off what was under way, may go on to note what left, in milliseconds. */
const noteMs = 1_000;

/**
 * Sends due mails, each at most once per key as far as SMTP allows. A lease keeps other workers away. It is renewed
 * just before the end of the message, so a worker whose lease has ended breaks off. One gap remains: when the process
 * or connection ends after the message and before its result is written, the mail is sent again under the same
 * Message-ID, by which most mailboxes show it once.
 */
export function createMailSweep(deps: MailSweepDeps): MailSweep {
  const options = { ...defaults, ...deps.options };
  return deps.transport === null ? createKeeping(deps, options) : createSending(deps, deps.transport, options);
}

function createKeeping(deps: MailSweepDeps, { keepSeconds }: MailOptions): MailSweep {
  const keeper = createMailKeeper({ ...deps, keepSeconds });
  const run = async () => {
    const kept = await keeper.run();
    for (let index = 0; index < kept; index++) deps.count('kept');
    return kept;
  };
  return { name: mailSweep, everyMs: 1_000, run, remarks: keeper.remarks };
}

function createSending(deps: MailSweepDeps, transport: MailTransport, options: MailOptions): MailSweep {
  const stopping = new AbortController();
  const leaving = new AbortController();
  const flying = new Set<Promise<void>>();
  const breaker = createSmtpCircuitBreaker(deps.log);
  const drawing = createMailDrawing(deps);
  const presence = createPresence(deps);
  const settled = async () => void (await Promise.all(flying));

  /** What is known of the server is what it was heard to say, or not; nothing of a mail that never got so far. */
  const hand: MailTransport['hand'] = async (...mail) => {
    const handover = await transport.hand(...mail);
    if (!stopping.signal.aborted) breaker.note(handover);
    return handover;
  };

  async function fly(mail: ClaimedMail): Promise<void> {
    const outcome = await attempt(deps, options, { hand, drawing, mail, stop: stopping.signal });
    // What the end of the process cut off says nothing of the mail or the server, unless the server may have the mail.
    const isOver = outcome.result === 'sent' || outcome.result === 'unanswered';
    if (stopping.signal.aborted && !isOver) return void (await endAttempt(deps.db, mail, stopped(mail)));
    await noteOutcome(deps, mail, outcome, { random: options.random, signal: leaving.signal });
  }

  return {
    name: mailSweep,
    everyMs: 1_000,
    run: async () => {
      await presence();
      // A mail that waits for the server's answer counts as well: it may be the probe of a server that was away.
      const limit = breaker.room(room) - flying.size;
      if (stopping.signal.aborted) return 0;
      const { leaseSeconds } = options;
      const wanted = { now: deps.clock.now(), limit, leaseSeconds, plainOnly: drawing.isPaused() };
      const mails = limit <= 0 ? [] : await claimMails(deps.db, wanted);
      for (const mail of mails) {
        const flight = fly(mail)
          .catch(error => deps.log.error({ err: error, mail: mail.id }, 'what became of a mail could not be noted'))
          .finally(() => {
            flying.delete(flight);
            deps.wake(mailSweep);
          });
        flying.add(flight);
      }
      return mails.length;
    },
    remarks: () => [...breaker.remarks(), ...drawing.remarks()],
    settled,
    stop: async () => {
      await cutOff(settled, { stopping, leaving, graceMs: options.graceSeconds * 1000 });
      transport.close();
    },
  };
}

interface CutOff {
  readonly stopping: AbortController;
  readonly leaving: AbortController;
  readonly graceMs: number;
}

/** Waits for what is under way: cuts it off when its grace is over, and a while later the noting of what left. */
async function cutOff(settled: () => Promise<void>, { stopping, leaving, graceMs }: CutOff): Promise<void> {
  const timers = [setTimeout(() => stopping.abort(), graceMs), setTimeout(() => leaving.abort(), graceMs + noteMs)];
  await settled();
  timers.forEach(clearTimeout);
}

/** How often a process with a mail server tells the others that it is there, in milliseconds. */
const presenceMs = 10_000;

function createPresence({ db, clock }: MailSweepDeps): () => Promise<void> {
  let notedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - notedAt < presenceMs) return;
    await noteMailServer(db, clock.now());
    notedAt = performance.now();
  };
}

interface Attempt {
  readonly hand: MailTransport['hand'];
  readonly drawing: MailDrawing;
  readonly mail: ClaimedMail;
  readonly stop: AbortSignal;
}

async function attempt(
  deps: MailSweepDeps,
  { leaseSeconds, answerSeconds, marginSeconds }: MailOptions,
  { hand, drawing, mail, stop }: Attempt,
): Promise<Outcome> {
  const deadline = createDeadline();
  deadline.set(leaseSeconds - marginSeconds);
  const claimedAt = deps.clock.now().getTime();
  const signal = AbortSignal.any([stop, deadline.signal]);
  let renewal: Promise<boolean> = Promise.resolve(false);
  const renew = async () => {
    const sentAt = addSeconds(mail.clock, (deps.clock.now().getTime() - claimedAt) / 1000);
    if (mail.due_at === null || addSeconds(sentAt, marginSeconds) >= mail.due_at) return false;
    const renewed = await renewMail(deps.db, mail, addSeconds(sentAt, answerSeconds));
    if (renewed === null) return false;
    mail.due_at = renewed.due_at;
    deadline.set(answerSeconds - marginSeconds);
    return true;
  };
  const confirm = () => {
    renewal = renew();
    return renewal;
  };
  try {
    const merchant = await deps.findMerchant(mail.merchant_id);
    const documents = await drawing.draw(mail, signal);
    if (!Array.isArray(documents)) return documents;
    const from = deps.from();
    const bytes = await composeMessage(mail, { merchant, from, documents, date: mail.clock });
    const handover = await hand({ from, to: mail.to_email, bytes }, confirm, signal);
    // The server may refuse the mail while its lease is being renewed: the outcome is written under the new lease.
    await renewal.catch(() => false);
    return handover;
  } catch (error) {
    return { result: 'failed', error: error instanceof Error ? error.message : String(error) };
  } finally {
    deadline.clear();
  }
}

/** Ends an attempt before its lease does. */
function createDeadline() {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    set: (seconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new Error('it took too long')), seconds * 1000);
    },
    clear: () => clearTimeout(timer),
  };
}

/** The part of a process without a mail server in what becomes of mails. */
interface MailKeeper {
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
 * Keeps mails of test mode for the outbox while no process has a mail server. Mails of live mode wait, and the operator
 * is told.
 */
function createMailKeeper({ db, clock, keepSeconds }: MailKeeperDeps): MailKeeper {
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
