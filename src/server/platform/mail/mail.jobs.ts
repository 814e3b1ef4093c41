import { addSeconds, type Clock } from '../../../core/clock.ts';
import type { Sweep } from '../jobs/sweeper.ts';
import type { Merchant } from '../merchant.ts';
import {
  type ClaimedMail,
  claimMails,
  countWaitingMails,
  endAttempt,
  keepTestMails,
  noteMailServer,
  queuedMails,
  renewMail,
  testMails,
} from './mail.store.ts';
import { createMailDrawing, type MailDocuments, type MailDrawing } from './mail-documents.ts';
import { composeMessage } from './mail-message.ts';
import { noteOutcome, type Outcome, type OutcomeDeps, stopped } from './mail-outcome.ts';
import { createSmtpCircuitBreaker, type MailTransport, mailConnections } from './smtp-transport.ts';

export interface MailSweepDeps extends OutcomeDeps {
  readonly clock: Clock;
  /** Null: this process has no mail server. */
  readonly transport: MailTransport | null;
  readonly from: () => string;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  readonly documents: MailDocuments;
  readonly wake: (sweep: string) => void;
  readonly options?: Partial<MailOptions>;
}

export interface MailOptions {
  /** Lease of a claimed mail in seconds. The worker renews the lease before the end of the message. */
  readonly leaseSeconds: number;
  /** Length of the renewed lease in seconds, in which the server may answer. */
  readonly answerSeconds: number;
  /** An attempt ends this many seconds before its lease ends. */
  readonly marginSeconds: number;
  /** Seconds after the start in which a process without a mail server keeps no mails for the outbox. */
  readonly keepSeconds: number;
  /** Seconds for which attempts may continue when the process stops. Other processes repeat aborted attempts. */
  readonly graceSeconds: number;
  /** Returns a random number from 0 to below 1, which spreads retries. */
  readonly random: () => number;
}

const defaults: MailOptions = {
  leaseSeconds: 120,
  answerSeconds: 620,
  marginSeconds: 10,
  keepSeconds: 10,
  graceSeconds: 3,
  random: Math.random,
};

export interface MailSweep extends Sweep {
  readonly remarks: () => readonly string[];
}

/** The sweep that sends mails. Wake it after mails were queued. */
export const mailSweep = 'mail.send';

/** Maximum mails that a process sends at a time: one per connection, so that no message waits in memory. */
const room = mailConnections;
/** Milliseconds in which a stopping process may store results after it has aborted its attempts. */
const noteMs = 1_000;

/**
 * Sends due mails. Each mail is sent at most once, as far as SMTP allows. A lease excludes other workers. The worker
 * renews the lease just before the end of the message. A worker that has lost its lease does not finish the message.
 * One gap remains: the process or connection may end after the message, before the result is stored. The mail is then
 * sent again with the same Message-ID, and most mailboxes show it once.
 */
export function createMailSweep(deps: MailSweepDeps): MailSweep {
  const options = { ...defaults, ...deps.options };
  return deps.transport === null ? createKeeping(deps, options) : createSending(deps, deps.transport, options);
}

/** Maximum number of mails that one run keeps for the outbox. */
const batch = 500;
/** Seconds after which a waiting mail of live mode is reported to the operator. */
const patienceSeconds = 30;
/** Seconds after which an unseen mail server counts as removed. Deployments and outages are shorter. */
const abandonedSeconds = 3_600;

/** The sweep without a mail server. It keeps mails of test mode for the outbox. Live mails wait, with a remark. */
function createKeeping({ db, clock, count }: MailSweepDeps, { keepSeconds }: MailOptions): MailSweep {
  const startedAt = clock.now();
  let waiting = 0;
  return {
    name: mailSweep,
    due: [testMails],
    everyMs: 60_000,
    rest: { ms: 250, fullBatch: batch },
    run: async () => {
      const now = clock.now();
      waiting = await countWaitingMails(db, addSeconds(now, -patienceSeconds));
      if (now < addSeconds(startedAt, keepSeconds)) return 0;
      const kept = await keepTestMails(db, addSeconds(now, -abandonedSeconds), batch);
      for (let index = 0; index < kept; index++) count('kept');
      return kept;
    },
    remarks: () => {
      if (waiting === 0) return [];
      const mails = waiting === 1 ? 'mail of live mode waits' : 'mails of live mode wait';
      return [`mail: SMTP_URL is not set, ${waiting} ${mails}`];
    },
  };
}

function createSending(deps: MailSweepDeps, transport: MailTransport, options: MailOptions): MailSweep {
  const stopping = new AbortController();
  const leaving = new AbortController();
  const sending = new Set<Promise<void>>();
  const breaker = createSmtpCircuitBreaker(deps.log);
  const drawing = createMailDrawing(deps);
  const presence = createPresence(deps);
  const settled = async () => void (await Promise.all(sending));

  /** An attempt that the stop aborted says nothing about the server. */
  const hand: MailTransport['hand'] = async (...mail) => {
    const handover = await transport.hand(...mail);
    if (!stopping.signal.aborted) breaker.note(handover);
    return handover;
  };

  async function sendMail(mail: ClaimedMail): Promise<void> {
    const outcome = await attempt(deps, options, { hand, drawing, mail, stop: stopping.signal });
    // An attempt that the stop aborted does not count, unless the server may have received the mail.
    const isOver = outcome.result === 'sent' || outcome.result === 'unanswered';
    if (stopping.signal.aborted && !isOver) return void (await endAttempt(deps.db, mail, stopped(mail)));
    await noteOutcome(deps, mail, outcome, { random: options.random, signal: leaving.signal });
  }

  return {
    name: mailSweep,
    due: [queuedMails],
    run: async () => {
      await presence();
      // After a pause, one mail tests the server. A mail that still waits for the server's answer counts as this test.
      const limit = breaker.room(room) - sending.size;
      if (stopping.signal.aborted) return 0;
      const { leaseSeconds } = options;
      const wanted = { now: deps.clock.now(), limit, leaseSeconds, plainOnly: drawing.isPaused() };
      const mails = limit <= 0 ? [] : await claimMails(deps.db, wanted);
      for (const mail of mails) {
        const attempted = sendMail(mail)
          .catch(error => deps.log.error({ err: error, mail: mail.id }, 'the outcome of a mail could not be stored'))
          .finally(() => {
            sending.delete(attempted);
            deps.wake(mailSweep);
          });
        sending.add(attempted);
      }
      return mails.length;
    },
    remarks: () => [...breaker.remarks(), ...drawing.remarks()],
    settled,
    stop: async () => {
      const graceMs = options.graceSeconds * 1000;
      await abortAfter(stopping, graceMs, () => abortAfter(leaving, graceMs + noteMs, settled));
      transport.close();
    },
  };
}

async function abortAfter(controller: AbortController, ms: number, work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => controller.abort(), ms);
  await work();
  clearTimeout(timer);
}

/** Milliseconds between two records that a process with a mail server is present. */
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
    // The server may refuse the mail while its lease is being renewed. The outcome must be stored under the new lease.
    await renewal.catch(() => false);
    return handover;
  } catch (error) {
    return { result: 'failed', error: error instanceof Error ? error.message : String(error) };
  } finally {
    deadline.clear();
  }
}

/** Ends an attempt before its lease ends. */
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
