import { setTimeout as sleep } from 'node:timers/promises';
import { addSeconds } from '../../../core/clock.ts';
import type { Db, Tx } from '../db/database.ts';
import type { Log } from '../jobs/sweeper.ts';
import { type ClaimedMail, endAttempt, type MailEnd } from './mail.store.ts';
import type { Handover } from './smtp-transport.ts';

/** The result of an attempt. `canceled`: the mail is no longer needed. `unready`: its documents cannot be drawn yet. */
export type Outcome =
  | Handover
  | { readonly result: 'canceled' }
  | { readonly result: 'unready'; readonly error: string; readonly waitSeconds: number };

export type MailResult = 'sent' | 'retried' | 'refused' | 'given_up' | 'canceled' | 'unreachable' | 'unready' | 'kept';

/** Dependencies for storing, logging, counting and reporting the outcome of a mail. */
export interface OutcomeDeps {
  readonly db: Db;
  readonly log: Log;
  readonly count: (result: MailResult) => void;
  /** Reports that the mail will not be tried again, in the transaction that gives it up. */
  readonly onGivenUp: (tx: Tx, mail: ClaimedMail) => Promise<void>;
}

/** The end of an attempt that was stopped: the mail is due at once, and the attempt does not count. */
export function stopped({ clock }: ClaimedMail): MailEnd {
  return { status: 'queued', error: 'stopped', dueAt: clock, counted: false };
}

/** Stores the result of the attempt, and the time of the next. `random` (0 to below 1) spreads retries. */
export async function noteOutcome(
  deps: OutcomeDeps,
  mail: ClaimedMail,
  outcome: Outcome,
  { random, signal }: { readonly random: () => number; readonly signal: AbortSignal },
): Promise<void> {
  const { db, log, count } = deps;
  if (outcome.result === 'sent' || outcome.result === 'canceled') {
    count(outcome.result);
    return await noteEnd(deps, mail, outcome.result, signal);
  }
  const { result, error } = outcome;
  const seen = result === 'unanswered' ? { ...mail, doubtful: true } : mail;
  if (result === 'unreachable' || result === 'unready') {
    count(result);
    // The mail becomes due after the others, in case it caused the failure itself.
    const dueAt = addSeconds(mail.clock, result === 'unready' ? outcome.waitSeconds : 0);
    return void (await endAttempt(db, mail, { status: 'queued', error, dueAt, counted: false }));
  }
  const { id, merchant_id: merchantId, dedupe_key: about, attempts } = mail;
  const facts = { mail: id, merchantId, about, attempt: attempts, error };
  const pauseMs = result === 'refused' ? null : pauseAfter(attempts, random());
  if (pauseMs === null) {
    count(result === 'refused' ? 'refused' : 'given_up');
    log.error(facts, 'a mail could not be sent and will not be tried again');
    return await giveUp(deps, seen, error);
  }
  count('retried');
  log.warn({ ...facts, pauseMs }, 'a mail could not be sent and will be tried again');
  await endAttempt(db, seen, { status: 'queued', error, dueAt: addSeconds(mail.clock, pauseMs / 1000), counted: true });
}

/** Pauses between the attempts of `noteEnd`, in milliseconds. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * Stores that the mail needs no further attempt. Retries until this is stored, because otherwise the mail would be sent
 * again. Does nothing if the claim is over. Throws if `signal` aborts.
 */
async function noteEnd(
  { db, log }: OutcomeDeps,
  mail: ClaimedMail,
  status: 'sent' | 'canceled',
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return void (await endAttempt(db, mail, { status }));
    } catch (error) {
      log.warn(
        { err: error, mail: mail.id, status, pauseMs },
        'the outcome of a mail could not be stored and will be tried again',
      );
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

async function giveUp({ db, onGivenUp }: OutcomeDeps, mail: ClaimedMail, error: string): Promise<void> {
  await db.transaction().execute(async tx => {
    const isMine = await endAttempt(tx, mail, { status: 'failed', error });
    if (isMine) await onGivenUp(tx, { ...mail, status: 'failed', last_error: error });
  });
}

const minute = 60_000;

/** Pauses after failed attempts, in milliseconds: about five days in total, as for mail servers (RFC 5321 §4.5.4.1). */
const pausesMs = [1, 5, 15, 60, 180, 360, 720, 1440, 1440, 1440, 1440].map(minutes => minutes * minute);

/** Milliseconds until the next attempt after attempt 1, 2 …, up to a tenth longer by `random`. Null: give up. */
function pauseAfter(attempt: number, random: number): number | null {
  const pauseMs = pausesMs[attempt - 1];
  return pauseMs === undefined ? null : Math.floor(pauseMs * (1 + random / 10));
}
