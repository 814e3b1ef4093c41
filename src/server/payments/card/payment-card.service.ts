import type { ConfirmPayment, NextAction, PaymentPhase } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Answer, Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { CardRail, ChargeOutcome, ChargeRequest } from '../../rails/rail.ts';
import { findPayment, lockPayment, type PaymentKey } from '../payment.store.ts';
import { maxDeclinedAttempts, restingPhase } from '../payment.ts';
import type { PaymentRow } from '../payment.view.ts';
import { changePayment } from '../payment-change.ts';
import { creditPayment } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertPayable } from '../payment-session.ts';
import {
  type AttemptRow,
  claimDueAttempts,
  findLastAttempt,
  findOpenAttempt,
  insertAttempt,
  moveAttempt,
  updateAttempt,
} from './card.store.ts';

type CardConfirmation = Extract<ConfirmPayment, { method: 'card' }>;

/** A payer's choice of a method, and the function that renders the response. */
export interface Confirmation {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly execution: Execution;
  readonly render: (payment: PaymentRow) => Answer;
}

/** Seconds until the rail is queried again about an attempt, by the attempt's state. */
const askAgainSeconds = { started: 30, requires_action: 15, authorized: 2, capturing: 2, unknown: 2 } as const;

/** Seconds after which an authorized card that was not captured is released: seven days. */
const authorizationSeconds = 7 * 86_400;

/** Seconds after which an attempt unknown to the rail is queried again, because a charge may arrive late. */
const lateSeconds = [60, 600, 3_600, 86_400];

/** The card rail. Throws `payment_method_not_allowed` if there is none. */
export function cardRail({ rails: { card } }: Pick<PaymentDeps, 'rails'>): CardRail {
  if (card !== null) return card;
  throw new PayError('payment_method_not_allowed', 'This server takes no cards.', { param: 'method' });
}

/**
 * Charges a card token in three steps that each survive a crash: insert the attempt, send the charge, book the outcome.
 * The attempt's id makes repeated requests charge only once. Throws the card error for a declined card. If the outcome
 * is unknown, the payment stays `processing` until the rail responds.
 */
export async function confirmCard(
  deps: PaymentDeps,
  { caller, paymentId, execution, render }: Confirmation,
  body: CardConfirmation,
): Promise<Answer> {
  const rail = cardRail(deps);
  if (!(await rail.isToken(body.token))) {
    throw new PayError('invalid_token', 'The card token is unknown or used. Enter the card again.', { param: 'token' });
  }
  await giveUpOpenAttempt(deps, caller, paymentId);
  const { attempt, payment } = await startAttempt(deps, rail, caller, paymentId, body.return_url ?? null);
  const outcome = await charge(deps, rail, caller, attempt, {
    token: body.token,
    captureMethod: payment.capture_method,
  });
  if (outcome.state === 'declined') {
    await bookOutcome(deps, caller, attempt, outcome);
    throw new PayError(outcome.decline.code, outcome.decline.message);
  }
  return await execution.commit(async tx => render(await applyOutcome(deps, tx, caller, attempt, outcome)));
}

/** The merchant of an attempt, and the current time on the merchant's clock. */
export type Acting = Pick<Caller, 'merchant' | 'now'>;

/**
 * Ends an open 3-D Secure attempt before another attempt starts or the payment ends, so that the payer cannot pay
 * twice. If the card is already charged, books the charge.
 */
export async function giveUpOpenAttempt(deps: PaymentDeps, acting: Acting, paymentId: string): Promise<void> {
  const open = await findOpenAttempt(deps.db, acting.merchant.id, paymentId);
  if (open?.state !== 'requires_action') return;
  if (await cardRail(deps).cancelCharge(open.id)) await bookOutcome(deps, acting, open, { state: 'abandoned' });
  else await askRail(deps, acting, open);
}

async function startAttempt(
  deps: PaymentDeps,
  rail: CardRail,
  { merchant, now }: Acting,
  paymentId: string,
  returnUrl: string | null,
): Promise<{ readonly attempt: AttemptRow; readonly payment: PaymentRow }> {
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: merchant.id, paymentId });
    assertPayable(deps, payment, 'card', now);
    if ((await findOpenAttempt(tx, merchant.id, paymentId)) !== null) {
      throw new PayError('payment_in_flight', 'Another attempt to pay by card is under way. Wait for its outcome.');
    }
    const attempt: AttemptRow = {
      merchant_id: merchant.id,
      payment_id: paymentId,
      id: newId('attempt'),
      livemode: payment.livemode,
      method: 'card',
      rail: rail.id,
      amount: payment.amount - payment.amount_received,
      capture_amount: null,
      currency: payment.currency,
      state: 'started',
      ...{ rail_reference: null, brand: null, last4: null, code: null, message: null },
      return_url: returnUrl,
      due_at: addSeconds(now, askAgainSeconds.started),
      created_at: now,
      updated_at: now,
    };
    await insertAttempt(tx, attempt);
    await changePayment(tx, deps, payment, { to: 'processing', set: { method: 'card', next_action: null }, now });
    return { attempt, payment };
  });
}

async function charge(
  { publicUrl, secrets }: PaymentDeps,
  rail: CardRail,
  { merchant, now }: Acting,
  { id: attemptId, payment_id: paymentId, amount, currency }: AttemptRow,
  { token, captureMethod }: Pick<ChargeRequest, 'token' | 'captureMethod'>,
): Promise<ChargeOutcome> {
  const returnUrl = `${publicUrl()}/checkout/resume/${secrets.paymentToken('resume', merchant.id, paymentId)}`;
  try {
    const request = {
      attemptId,
      merchantId: merchant.id,
      payee: merchant.name,
      token,
      amount,
      currency,
      captureMethod,
      returnUrl,
      now,
    };
    return await rail.charge(request);
  } catch {
    // The rail may have charged the card. The service queries the rail until it responds.
    return { state: 'unknown' };
  }
}

/**
 * The outcome of an attempt: the rail's response, or `abandoned` if the charge never reached the rail or was canceled.
 * `dueAt`: the next query of the rail.
 */
export type AttemptOutcome = ChargeOutcome | { readonly state: 'abandoned'; readonly dueAt?: Date | null };

export async function bookOutcome(deps: PaymentDeps, acting: Acting, attempt: AttemptRow, outcome: AttemptOutcome) {
  await deps.db.transaction().execute(tx => applyOutcome(deps, tx, acting, attempt, outcome));
}

/**
 * Books the outcome of an attempt once. Does not change an ended attempt. A payment that now waits for another method,
 * such as a bank transfer, keeps its phase.
 */
export async function applyOutcome(
  deps: PaymentDeps,
  tx: Tx,
  { merchant, now }: Acting,
  attempt: AttemptRow,
  outcome: AttemptOutcome,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, { merchantId: attempt.merchant_id, paymentId: attempt.payment_id });
  const { phase, amount_received: received } = payment;
  const isWaitedFor = phase === 'processing' || phase === 'requires_action';
  // Two requests can report the same authorization.
  if (outcome.state === 'authorized' && phase === 'authorized') return payment;
  const columns = attemptColumns(outcome, now);
  // The payment goes on without the card, so the card is released.
  const dueAt = outcome.state === 'authorized' && !isWaitedFor ? now : columns.due_at;
  const isNews = await updateAttempt(tx, attempt, { ...columns, due_at: dueAt, updated_at: now });
  if (!isNews) return payment;
  const change = (to: PaymentPhase, nextAction: NextAction | null = null) =>
    changePayment(tx, deps, payment, { to, set: { next_action: nextAction }, now });
  switch (outcome.state) {
    case 'captured': {
      const { rail, currency, capture_amount: captured } = attempt;
      const { railReference, amount, brand, last4, threeDSecure } = outcome;
      const seen = { rail, amount, currency, rail_reference: railReference, reference: null, sender: null };
      const card = { brand, last4, three_d_secure: threeDSecure };
      const arrival = { ...seen, method: 'card', card, value: amount, isCaptured: captured !== null } as const;
      return await creditPayment(tx, deps, merchant, payment, arrival, now);
    }
    case 'authorized': {
      if (!isWaitedFor) return payment;
      const { brand, last4, threeDSecure } = outcome;
      const card = { brand, last4, three_d_secure: threeDSecure };
      const set = { card, next_action: null, session_expires_at: addSeconds(now, authorizationSeconds) };
      return await changePayment(tx, deps, payment, { to: 'authorized', set, now });
    }
    case 'requires_action':
      return phase === 'processing' ? await change('requires_action', { type: 'redirect', url: outcome.url }) : payment;
    case 'capturing':
      return phase === 'requires_action' ? await change('processing') : payment;
    case 'unknown':
      return payment;
    case 'abandoned':
      return isWaitedFor || phase === 'authorized' ? await change(restingPhase(received)) : payment;
    case 'released':
      if (attempt.capture_amount !== null) return await endUncaptured(deps, tx, payment, released, now);
      return isWaitedFor ? await change(restingPhase(received)) : payment;
    case 'declined':
      if (attempt.capture_amount !== null) return await endUncaptured(deps, tx, payment, outcome.decline, now);
      return await applyDecline(deps, tx, payment, isWaitedFor, outcome.decline, now);
  }
}

/** The failure of a payment for which the card's bank released the money before the capture. */
export const released = {
  code: 'authorization_released',
  message: 'The card’s bank released the money before it was captured. Nothing was taken.',
} as const;

/** Ends a payment whose authorized card could not be captured. The payer is no longer there to try again. */
async function endUncaptured(
  deps: PaymentDeps,
  tx: Tx,
  payment: PaymentRow,
  { code, message }: { readonly code: string; readonly message: string },
  now: Date,
): Promise<PaymentRow> {
  if (payment.phase !== 'processing') return payment;
  const set = {
    failure_code: code,
    failure_message: message,
    last_attempt: { method: 'card', code, message },
  } as const;
  return await changePayment(tx, deps, payment, { to: 'declined', set, now });
}

function attemptColumns(outcome: AttemptOutcome, now: Date) {
  switch (outcome.state) {
    case 'declined':
      return { state: outcome.state, code: outcome.decline.code, message: outcome.decline.message, due_at: null };
    case 'abandoned':
      return { state: outcome.state, due_at: outcome.dueAt ?? null };
    case 'released':
      return { state: 'abandoned' as const, due_at: null };
    case 'unknown':
      return { state: outcome.state, due_at: addSeconds(now, askAgainSeconds.unknown) };
    case 'captured':
    case 'authorized':
    case 'capturing':
    case 'requires_action': {
      const { state, railReference, brand, last4 } = outcome;
      const dueAt = state === 'captured' || state === 'authorized' ? null : addSeconds(now, askAgainSeconds[state]);
      return { state, rail_reference: railReference, brand, last4, due_at: dueAt };
    }
  }
}

async function applyDecline(
  deps: PaymentDeps,
  tx: Tx,
  payment: PaymentRow,
  isWaitedFor: boolean,
  decline: { readonly code: string; readonly message: string },
  now: Date,
): Promise<PaymentRow> {
  const declined = payment.declined_attempts + 1;
  const isLast = isWaitedFor && declined >= maxDeclinedAttempts && payment.amount_received === 0n;
  const failure = { failure_code: decline.code, failure_message: `Declined ${declined} times. ${decline.message}` };
  return await changePayment(tx, deps, payment, {
    ...(isWaitedFor && { to: isLast ? 'declined' : restingPhase(payment.amount_received) }),
    set: {
      declined_attempts: declined,
      last_attempt: { method: 'card', code: decline.code, message: decline.message },
      ...(isWaitedFor && { next_action: null }),
      ...(isLast && failure),
    },
    now,
  });
}

/** Queries the rail for the state of an attempt, and books it. */
async function askRail(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const { id: attemptId, capture_amount: amount } = attempt;
  const rail = cardRail(deps);
  // A capture is requested again, because its first request may not have reached the rail.
  const asked = amount === null ? rail.chargeStatus(attemptId, now) : rail.capture({ attemptId, amount, now });
  const outcome = await asked;
  await bookOutcome(deps, acting, attempt, outcome ?? { state: 'abandoned', dueAt: lateDueAt(now, now) });
}

function lateDueAt(abandonedAt: Date, now: Date): Date | null {
  return lateSeconds.map(seconds => addSeconds(abandonedAt, seconds)).find(at => at > now) ?? null;
}

/**
 * Queries the rail again about an attempt that it did not know. Books a capture. Cancels a charge that waits for 3-D
 * Secure, because the payer has no page to confirm it. Releases an authorized card.
 */
async function askLate(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const rail = cardRail(deps);
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

/** Queries the rail about attempts that are due. Returns their number. */
export async function followAttempts(deps: PaymentDeps): Promise<number> {
  if (deps.rails.card === null) return 0;
  return await runEach(await claimDueAttempts(deps.db, deps.clock.now(), 20), async attempt => {
    const acting = await actingFor(deps, attempt);
    if (attempt.state === 'abandoned') return await askLate(deps, acting, attempt);
    const key = { merchantId: attempt.merchant_id, paymentId: attempt.payment_id };
    const payment = await findPayment(deps.db, key);
    if (attempt.state === 'authorized') return await releaseCard(deps, acting, attempt, payment);
    // The payment has ended, so the card must not be charged.
    if (payment?.status !== 'pending') await giveUpOpenAttempt(deps, acting, key.paymentId);
    await askRail(deps, acting, attempt);
  });
}

/** Releases an authorized card whose payment went on without it. If the rail has taken the money, books it. */
async function releaseCard(
  deps: PaymentDeps,
  acting: Acting,
  attempt: AttemptRow,
  payment: PaymentRow | null,
): Promise<void> {
  if (payment?.phase === 'authorized') await moveAttempt(deps.db, attempt, null);
  else if (await cardRail(deps).cancelCharge(attempt.id))
    await bookOutcome(deps, acting, attempt, { state: 'abandoned' });
  else await askRail(deps, acting, attempt);
}

/**
 * Handles the payer's return from the rail's page: books the outcome if it is still open. Returns the attempt's
 * `return_url`, or null.
 */
export async function resumePayment(deps: PaymentDeps, key: PaymentKey): Promise<string | null> {
  const attempt = await findLastAttempt(deps.db, key.merchantId, key.paymentId);
  if (attempt?.state === 'requires_action') await askRail(deps, await actingFor(deps, attempt), attempt);
  return attempt?.return_url ?? null;
}
