import { addSeconds } from '../../../core/clock.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { refusedPrompt } from '../../rails/mobile-money/collecting.ts';
import { findPayment, type PaymentKey } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { type AttemptRow, findLastAttempt, findOpenAttempt, makeAttemptDue, moveAttempt } from './attempt.store.ts';
import { type Acting, type AttemptOutcome, askAgainSeconds, promptGraceSeconds, type RailOutcome } from './attempt.ts';
import { bookOutcome, isWaitedFor } from './attempt-outcome.service.ts';
import { railOf } from './attempt-rails.ts';

/** The sweep that queries the rails about attempts. */
export const attemptSweep = 'payments.attempts';

/** Seconds until each later query about an attempt that was given up. Its money may still arrive. */
const lateSeconds = [60, 600, 3_600, 86_400];

/** Seconds after the last of `lateSeconds` until a rail that gave no final answer is queried again. */
const lastSeconds = 86_400;

/** Seconds until a prompt that the payer has left is queried again. */
const leftSeconds = 5;

/**
 * Ends an open attempt that waits for the payer, before another attempt starts or the payment ends. Otherwise the payer
 * could pay twice. If the money is already taken, books it. If an acquirer does not answer, the attempt stays open. A
 * prompt cannot be ended: it is abandoned, and its operator is queried until it has ended.
 */
export async function giveUpOpenAttempt(deps: PaymentDeps, acting: Acting, paymentId: string): Promise<void> {
  const open = await findOpenAttempt(deps.db, acting.merchant.id, paymentId);
  if (open?.state === 'requires_action') await unlessSilent(deps, open, endAtRail(deps, acting, open));
}

/**
 * Ends an open attempt that waits for the payer, as `giveUpOpenAttempt` does. A prompt on a phone stays open, unless its
 * operator has ended it.
 */
export async function endOpenAttempt(deps: PaymentDeps, acting: Acting, paymentId: string): Promise<void> {
  const open = await findOpenAttempt(deps.db, acting.merchant.id, paymentId);
  if (open?.state !== 'requires_action') return;
  const isPrompt = open.method === 'mobile_money';
  await unlessSilent(deps, open, isPrompt ? askRail(deps, acting, open) : endAtRail(deps, acting, open));
}

async function endAtRail(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const isEnded = await railOf(deps, attempt).cancel(attempt);
  if (isEnded === true) await bookOutcome(deps, acting, attempt, { state: 'abandoned' });
  else await askRail(deps, acting, attempt, isEnded === null);
}

/** A rail that does not answer must not stop the payer or the merchant. The sweep asks it again. */
async function unlessSilent({ log }: PaymentDeps, { id, rail }: AttemptRow, work: Promise<void>): Promise<void> {
  const message = 'a rail did not answer about an attempt and will be asked again';
  await work.catch(err => log.warn({ err, rail, attempt: id }, message));
}

/** Queries the rail for the state of an attempt, and books it. `isLeft`: the payer no longer wants to pay so. */
async function askRail(deps: PaymentDeps, acting: Acting, attempt: AttemptRow, isLeft = false): Promise<void> {
  const news = await newsOf(deps, acting, attempt, isLeft);
  if ('askAt' in news) await moveAttempt(deps.db, attempt, news.askAt);
  else await bookOutcome(deps, acting, attempt, news);
}

/** The outcome to book. `askAt`: the rail has no news, and is asked again then. */
export async function newsOf(
  deps: PaymentDeps,
  { now }: Acting,
  attempt: AttemptRow,
  isLeft: boolean,
): Promise<AttemptOutcome | { readonly askAt: Date }> {
  const outcome = await railOf(deps, attempt).status(attempt, now);
  if (outcome === null) return neverReceived(deps, attempt, lateDueAt(now, now));
  if (outcome.state !== 'requires_action' && outcome.state !== 'unknown') return outcome;
  const isOver = isPromptOver(attempt, outcome, now);
  if (isLeft) return { state: 'abandoned', dueAt: addSeconds(now, leftSeconds), isPromptOpen: !isOver };
  if (isOver) return unanswered(deps, attempt, lateDueAt(now, now));
  const isKnown = attempt.state === 'requires_action' && outcome.state === 'requires_action';
  return isKnown ? { askAt: addSeconds(now, outcome.askAgainSeconds) } : outcome;
}

/** The end of an attempt that its rail never received. A request may still arrive late, so the rail is asked again. */
function neverReceived({ log }: PaymentDeps, { id, rail, method }: AttemptRow, dueAt: Date | null): AttemptOutcome {
  if (method !== 'mobile_money') return { state: 'abandoned', dueAt };
  log.warn({ rail, attempt: id }, 'an operator did not receive a prompt');
  const { refusal: decline } = refusedPrompt('operator_unavailable', null);
  return { state: 'declined', railReference: null, decline, dueAt };
}

/** The end of a prompt whose operator has not said whether it took the money. */
function unanswered({ log }: PaymentDeps, { id, rail }: AttemptRow, dueAt: Date | null): AttemptOutcome {
  log.warn({ rail, attempt: id }, 'an operator did not tell the outcome of a prompt: it may have taken the money');
  const message =
    'The operator has not told whether it took the money. Look at the messages on your phone before you pay again.';
  return { state: 'abandoned', dueAt, reason: { code: 'prompt_unanswered', message } };
}

function isPromptOver({ expires_at: known }: AttemptRow, outcome: RailOutcome, now: Date): boolean {
  const end = (outcome.state === 'requires_action' ? outcome.expiresAt : null) ?? known;
  return end !== null && now >= addSeconds(end, promptGraceSeconds);
}

function lateDueAt(abandonedAt: Date, now: Date): Date | null {
  return lateSeconds.map(seconds => addSeconds(abandonedAt, seconds)).find(at => at > now) ?? null;
}

/**
 * Queries the rail again about an attempt that was given up. Books a capture, and releases an authorized card. Cancels
 * a charge that waits for 3-D Secure, because the payer has no page to confirm it.
 */
async function askLate(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const rail = railOf(deps, attempt);
  const outcome = await rail.status(attempt, now);
  if (outcome?.state === 'captured') return await bookOutcome(deps, acting, attempt, outcome);
  if (outcome === null) return await endLate(deps, acting, attempt, lateDueAt(attempt.updated_at, now));
  const isHeld = outcome.state === 'requires_action' || outcome.state === 'authorized';
  const isCanceled = isHeld && (await rail.cancel(attempt));
  const isOver = outcome.state === 'declined' || outcome.state === 'released' || isCanceled === true;
  if (isOver) return await endLate(deps, acting, attempt, null);
  const next = nextLate(attempt, outcome, now);
  if (isPromptOver(attempt, outcome, now)) await endLate(deps, acting, attempt, next);
  else await moveAttempt(deps.db, attempt, next);
}

/** Moves an attempt that was given up. Its prompt, if it was still open, has ended: frees the phone number. */
async function endLate(deps: PaymentDeps, acting: Acting, attempt: AttemptRow, dueAt: Date | null): Promise<void> {
  if (attempt.open_number === null) await moveAttempt(deps.db, attempt, dueAt);
  else await bookOutcome(deps, acting, attempt, { state: 'abandoned', dueAt });
}

/** When the rail is queried again about an attempt that was given up and has not ended. */
function nextLate({ method, expires_at: end, updated_at: at }: AttemptRow, outcome: RailOutcome, now: Date): Date {
  if (method === 'mobile_money') {
    if (end !== null && now < addSeconds(end, promptGraceSeconds)) return addSeconds(now, leftSeconds);
    return lateDueAt(at, now) ?? addSeconds(now, lastSeconds);
  }
  const { state } = outcome;
  const seconds = state === 'requires_action' ? outcome.askAgainSeconds : askAgainSeconds.unknown;
  return addSeconds(now, seconds);
}

async function actingFor(deps: PaymentDeps, attempt: AttemptRow): Promise<Acting> {
  const merchant = await deps.findMerchant(attempt.merchant_id);
  return { merchant, now: merchantNow(merchant, attempt.livemode, deps.clock.now()) };
}

/** Queries the rail about an attempt, and books its state. */
export async function followAttempt(deps: PaymentDeps, attempt: AttemptRow): Promise<void> {
  const acting = await actingFor(deps, attempt);
  if (attempt.state === 'abandoned' || attempt.state === 'declined') return await askLate(deps, acting, attempt);
  const key = { merchantId: attempt.merchant_id, paymentId: attempt.payment_id };
  const payment = await findPayment(deps.db, key);
  if (attempt.state === 'authorized') return await releaseCard(deps, acting, attempt, payment);
  // The payment has ended or waits for another method, so the card must not be charged.
  if (payment === null || !isWaitedFor(payment)) await giveUpOpenAttempt(deps, acting, key.paymentId);
  await askRail(deps, acting, attempt);
}

/** An attempt about which its rail has news. */
interface AttemptNews {
  readonly merchantId: string;
  readonly attemptId: string;
}

/** Lets the service query the rail about an attempt at once. Changes nothing for an unknown or ended attempt. */
export async function askAttempt(
  { db, clock, wake }: Pick<PaymentDeps, 'db' | 'clock' | 'wake'>,
  rail: string,
  { merchantId, attemptId }: AttemptNews,
): Promise<void> {
  if (await makeAttemptDue(db, { rail, merchantId, id: attemptId }, clock.now())) wake(attemptSweep);
}

/** Releases the card of a payment that no longer needs it. Books the charge if the rail has taken the money. */
async function releaseCard(
  deps: PaymentDeps,
  acting: Acting,
  attempt: AttemptRow,
  payment: PaymentRow | null,
): Promise<void> {
  if (payment?.phase === 'authorized') await moveAttempt(deps.db, attempt, null);
  else await endAtRail(deps, acting, attempt);
}

/**
 * Handles the payer's return from the rail's page: books the outcome if it is still open. Returns the attempt's
 * `return_url`, or null.
 */
export async function resumePayment(deps: PaymentDeps, key: PaymentKey): Promise<string | null> {
  const attempt = await findLastAttempt(deps.db, key.merchantId, key.paymentId);
  if (attempt?.state === 'requires_action') {
    await unlessSilent(deps, attempt, askRail(deps, await actingFor(deps, attempt), attempt));
  }
  return attempt?.return_url ?? null;
}
