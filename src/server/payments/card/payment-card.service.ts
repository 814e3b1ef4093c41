import type { ConfirmPayment } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Answer, Execution, RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { CardRail, ChargeOutcome, ChargeRequest } from '../../rails/card-rail.ts';
import { chooseCardRail } from '../../rails/rails.ts';
import { claimAtRails, findPayment, type PaymentKey } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import {
  type AttemptRow,
  dueAttempts,
  findAttempt,
  findLastAttempt,
  findOpenAttempt,
  moveAttempt,
} from './card.store.ts';
import { type CardToken, openCardToken } from './card-option.ts';
import { type Acting, askAgainSeconds, bookOutcome, isWaitedFor } from './card-outcome.service.ts';
import type { CardWriter, Started, StartedAttempt } from './card-writer.ts';

type CardConfirmation = Extract<ConfirmPayment, { method: 'card' }>;

/** An action on a payment, and the function that renders the response. */
export interface Confirmation {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly render: (payment: PaymentRow) => Answer;
  readonly execution: Execution;
}

/** A payer's choice of a card. */
export interface CardChoice extends Confirmation {
  readonly body: CardConfirmation;
  /** Reads the payment. Expires it first if its session is over. */
  readonly read: () => Promise<PaymentRow>;
  /** Throws unless the payer may pay the payment by card now. */
  readonly check: (payment: PaymentRow) => void;
}

/** Seconds until each later query about an attempt that the rail does not know. Its charge may still reach the rail. */
const lateSeconds = [60, 600, 3_600, 86_400];

/** The answers of an acquirer that is no longer connected. Its attempts stay open until it is connected again. */
const disconnected: Pick<CardRail, 'charge' | 'chargeStatus' | 'capture' | 'cancelCharge'> = {
  charge: async () => ({ state: 'unknown' }),
  chargeStatus: async () => ({ state: 'unknown' }),
  capture: async () => ({ state: 'unknown' }),
  cancelCharge: async () => false,
};

/** The acquirer that an attempt was started at. */
function railOf({ rails: { cards } }: Pick<PaymentDeps, 'rails'>, { rail }: AttemptRow) {
  return cards.find(card => card.id === rail) ?? disconnected;
}

/** The acquirers that can charge the token in this mode. */
async function railsOfToken({ rails }: PaymentDeps, livemode: boolean, { rail, token }: CardToken) {
  const asked = rails.cards.filter(card => card.livemode === livemode && (rail === null || card.id === rail));
  const known = await Promise.all(asked.map(card => card.isToken(token)));
  return asked.filter((_, index) => known[index]);
}

/**
 * Charges a card token in three steps that each survive a crash: insert the attempt, send the charge, book the outcome.
 * The attempt's id makes repeated requests charge only once. The call's key names the attempt, so a retry after a crash
 * answers the attempt's outcome. Throws the card error for a declined card. If the outcome
 * is unknown, the payment stays `processing` until the rail responds.
 */
export async function confirmCard(deps: PaymentDeps, cards: CardWriter, choice: CardChoice): Promise<RenderedAnswer> {
  const { caller, body, execution, render } = choice;
  const key = { merchantId: caller.merchant.id, paymentId: choice.paymentId };
  const token = openCardToken(deps.secrets, key, body.token);
  const { attempt, outcome } = await startAttempt(deps, cards, choice, token);
  if (outcome.state === 'declined') {
    await cards.book({ acting: caller, attempt, outcome });
    throw new PayError(outcome.decline.code, outcome.decline.message);
  }
  const booked = await cards.book({
    acting: caller,
    attempt,
    outcome,
    render: payment => execution.render(render(payment)),
  });
  return booked.rendered?.sent ?? execution.render(render(booked.payment)).sent;
}

/** An attempt, and the answer of the rail. */
interface Charged {
  readonly attempt: AttemptRow;
  readonly outcome: ChargeOutcome;
}

/**
 * Claims the call's key, and charges the card in a new attempt. First ends an open attempt, or a session that is over.
 * Continues the attempt of a crashed call with the same key instead, if the rail may have charged it.
 */
async function startAttempt(
  deps: PaymentDeps,
  cards: CardWriter,
  choice: CardChoice,
  given: CardToken,
): Promise<Charged> {
  const { caller, paymentId, body, execution, read } = choice;
  const known = await railsOfToken(deps, caller.livemode, given);
  const { token } = given;
  const choose = (payment: PaymentRow) => {
    choice.check(payment);
    if (chooseCardRail(deps.rails.cards, payment) === null) {
      throw new PayError('payment_method_not_allowed', 'This server takes no cards for this payment.', {
        param: 'method',
      });
    }
    const rail = chooseCardRail(known, payment);
    if (rail !== null) return rail.id;
    throw new PayError('invalid_token', 'The card token is unknown or used. Enter the card again.', { param: 'token' });
  };
  const chargeNew = ({ attempt, captureMethod }: Started) =>
    charge(deps, caller, attempt, { token, captureMethod }).then(outcome => ({ attempt, outcome }));
  const attemptId = newId('attempt');
  const request = { caller, paymentId, attemptId, choose, returnUrl: body.return_url ?? null };
  const { unclaimed } = execution;
  const first = await cards.start({ ...request, unclaimed, isPrepared: false, noteStarted: null });
  if (unclaimed !== null) execution.hold(first.claim);
  if (first.result !== 'unprepared') return await chargeNew(startedOf(first.result));
  const before = await crashedAttempt(deps, caller, paymentId, first.claim?.startedId ?? attemptId);
  if (before !== null) {
    const outcome = await resumedOutcome(deps, caller, before, token);
    if (outcome !== null) return { attempt: before, outcome };
  }
  choose(await read());
  await giveUpOpenAttempt(deps, caller, paymentId);
  const own =
    before === null
      ? { attemptId: first.claim?.startedId ?? attemptId, noteStarted: null }
      : { attemptId, noteStarted: execution.started };
  const next = await cards.start({ ...request, ...own, unclaimed: null, isPrepared: true });
  return await chargeNew(startedOf(next.result));
}

async function crashedAttempt({ db }: PaymentDeps, { merchant }: Caller, paymentId: string, id: string) {
  return await findAttempt(db, { merchantId: merchant.id, paymentId }, id);
}

/**
 * The rail's answer about the attempt of a crashed call. Charges the card if the rail never got the charge. Null: the
 * attempt has ended.
 */
async function resumedOutcome(
  deps: PaymentDeps,
  caller: Caller,
  attempt: AttemptRow,
  token: string,
): Promise<ChargeOutcome | null> {
  const known = await railOf(deps, attempt)
    .chargeStatus(attempt.id, caller.now)
    .catch((): ChargeOutcome => ({ state: 'unknown' }));
  if (known !== null || attempt.state === 'abandoned') return known;
  const payment = await findPayment(deps.db, { merchantId: caller.merchant.id, paymentId: attempt.payment_id });
  return await charge(deps, caller, attempt, { token, captureMethod: payment?.capture_method ?? 'automatic' });
}

function startedOf(result: StartedAttempt['result']): Started {
  if (result instanceof PayError) throw result;
  if (result === 'unprepared') throw new Error('a prepared attempt was not started');
  return result;
}

/**
 * Ends an open 3-D Secure attempt before another attempt starts or the payment ends. Otherwise the payer could pay
 * twice. If the card is already charged, books the charge. If the rail does not answer, the attempt stays open.
 */
export async function giveUpOpenAttempt(deps: PaymentDeps, acting: Acting, paymentId: string): Promise<void> {
  const open = await findOpenAttempt(deps.db, acting.merchant.id, paymentId);
  if (open?.state === 'requires_action') await unlessSilent(deps, open, endAtRail(deps, acting, open));
}

async function endAtRail(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  if (await railOf(deps, attempt).cancelCharge(attempt.id))
    await bookOutcome(deps, acting, attempt, { state: 'abandoned' });
  else await askRail(deps, acting, attempt);
}

/** A rail that does not answer must not stop the payer or the merchant. The sweep asks it again. */
async function unlessSilent({ log }: PaymentDeps, { id, rail }: AttemptRow, work: Promise<void>): Promise<void> {
  const message = 'an acquirer did not answer about an attempt and will be asked again';
  await work.catch(err => log.warn({ err, rail, attempt: id }, message));
}

async function charge(
  deps: PaymentDeps,
  { merchant, now }: Acting,
  attempt: AttemptRow,
  { token, captureMethod }: Pick<ChargeRequest, 'token' | 'captureMethod'>,
): Promise<ChargeOutcome> {
  const { publicUrl, secrets } = deps;
  const { id: attemptId, payment_id: paymentId, amount, currency } = attempt;
  const returnUrl = `${publicUrl()}/checkout/resume/${secrets.paymentToken('resume', merchant.id, paymentId)}`;
  try {
    const request = {
      attemptId,
      merchantId: merchant.id,
      paymentId,
      payee: merchant.name,
      token,
      amount,
      currency,
      captureMethod,
      returnUrl,
      now,
    };
    return await railOf(deps, attempt).charge(request);
  } catch {
    // The rail may have charged the card. The service queries the rail until it responds.
    return { state: 'unknown' };
  }
}

/** Queries the rail for the state of an attempt, and books it. */
async function askRail(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const { id: attemptId, capture_amount: amount } = attempt;
  const rail = railOf(deps, attempt);
  // The capture is requested again, because its first request may not have reached the rail.
  const asked = amount === null ? rail.chargeStatus(attemptId, now) : rail.capture({ attemptId, amount, now });
  const outcome = await asked;
  await bookOutcome(deps, acting, attempt, outcome ?? { state: 'abandoned', dueAt: lateDueAt(now, now) });
}

function lateDueAt(abandonedAt: Date, now: Date): Date | null {
  return lateSeconds.map(seconds => addSeconds(abandonedAt, seconds)).find(at => at > now) ?? null;
}

/**
 * Queries the rail again about an attempt that it did not know. Books a capture, and releases an authorized card.
 * Cancels a charge that waits for 3-D Secure, because the payer has no page to confirm it.
 */
async function askLate(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const rail = railOf(deps, attempt);
  const outcome = await rail.chargeStatus(attempt.id, now);
  if (outcome?.state === 'captured') return await bookOutcome(deps, acting, attempt, outcome);
  if (outcome === null) return await moveAttempt(deps.db, attempt, lateDueAt(attempt.updated_at, now));
  const isHeld = outcome.state === 'requires_action' || outcome.state === 'authorized';
  const isCanceled = isHeld && (await rail.cancelCharge(attempt.id));
  const isOver = outcome.state === 'declined' || outcome.state === 'released' || isCanceled;
  await moveAttempt(deps.db, attempt, isOver ? null : addSeconds(now, askAgainSeconds[outcome.state]));
}

async function actingFor(deps: PaymentDeps, attempt: AttemptRow): Promise<Acting> {
  const merchant = await deps.findMerchant(attempt.merchant_id);
  return { merchant, now: merchantNow(merchant, attempt.livemode, deps.clock.now()) };
}

/** Queries the rails about attempts that are due. Returns their number. */
export async function followAttempts(deps: PaymentDeps): Promise<number> {
  const rails = deps.rails.cards.map(({ id }) => id);
  const due = await claimAtRails<AttemptRow>(deps.db, dueAttempts, { rails, now: deps.clock.now(), limit: 20 });
  return await runEach(due, attempt => followAttempt(deps, attempt));
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
