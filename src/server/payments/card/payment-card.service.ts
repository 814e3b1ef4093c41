import type { ConfirmPayment, NextAction, PaymentPhase } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Answer, Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { CardRail, ChargeOutcome } from '../../rails/rail.ts';
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

/** A payer's choice of a method, and how to render the answer. */
export interface Confirmation {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly execution: Execution;
  readonly render: (payment: PaymentRow) => Answer;
}

/** Seconds until the rail is asked again about an attempt, by the attempt's state. */
const askAgainSeconds = { started: 30, requires_action: 15, capturing: 2, unknown: 2 } as const;

/** Seconds after which the rail is asked again about an attempt that it did not know: the charge may reach it late. */
const lateSeconds = [60, 600, 3_600, 86_400];

/** The card rail. Throws `payment_method_not_allowed` when the service has none. */
function cardRail({ rails: { card } }: Pick<PaymentDeps, 'rails'>): CardRail {
  if (card !== null) return card;
  throw new PayError('payment_method_not_allowed', 'This server takes no cards.', { param: 'method' });
}

/**
 * Charges a card token in three steps that each survive a crash: write the attempt, ask the rail, book the outcome. The
 * attempt's id makes a repeated request to the rail charge once. Throws the card error when the card is declined. With
 * an unknown outcome the payment stays `processing` until the rail answers.
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
  const attempt = await startAttempt(deps, rail, caller, paymentId, body.return_url ?? null);
  const outcome = await charge(deps, rail, caller, attempt, body.token);
  if (outcome.state === 'declined') {
    await bookOutcome(deps, caller, attempt, outcome);
    throw new PayError(outcome.decline.code, outcome.decline.message);
  }
  return await execution.commit(async tx => render(await applyOutcome(deps, tx, caller, attempt, outcome)));
}

/** The merchant of an attempt, and the time on the merchant's clock. */
type Acting = Pick<Caller, 'merchant' | 'now'>;

/**
 * Ends the open attempt of a payer who left the 3-D Secure page, before another attempt starts or the payment ends.
 * Otherwise the payer could pay twice. An attempt that has taken the money is booked.
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
): Promise<AttemptRow> {
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
    return attempt;
  });
}

async function charge(
  { publicUrl, secrets }: PaymentDeps,
  rail: CardRail,
  { merchant, now }: Acting,
  { id: attemptId, payment_id: paymentId, amount, currency }: AttemptRow,
  token: string,
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
      returnUrl,
      now,
    };
    return await rail.charge(request);
  } catch {
    // The rail may have taken the money: it is asked until it answers.
    return { state: 'unknown' };
  }
}

/**
 * The outcome of an attempt: the rail's answer, or `abandoned` when it never reached the rail or was given up. With
 * `dueAt` the rail is asked again at that time.
 */
type AttemptOutcome = ChargeOutcome | { readonly state: 'abandoned'; readonly dueAt?: Date | null };

async function bookOutcome(deps: PaymentDeps, acting: Acting, attempt: AttemptRow, outcome: AttemptOutcome) {
  await deps.db.transaction().execute(tx => applyOutcome(deps, tx, acting, attempt, outcome));
}

/**
 * Books the outcome of an attempt once; an attempt that has ended does not change. A payment that now waits for another
 * method, such as a bank transfer, keeps its phase.
 */
async function applyOutcome(
  deps: PaymentDeps,
  tx: Tx,
  { merchant, now }: Acting,
  attempt: AttemptRow,
  outcome: AttemptOutcome,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, { merchantId: attempt.merchant_id, paymentId: attempt.payment_id });
  const isNews = await updateAttempt(tx, attempt, { ...attemptColumns(outcome, now), updated_at: now });
  if (!isNews) return payment;
  const change = (to: PaymentPhase, nextAction: NextAction | null = null) =>
    changePayment(tx, deps, payment, { to, set: { next_action: nextAction }, now });
  const { phase, amount_received: received } = payment;
  const isWaitedFor = phase === 'processing' || phase === 'requires_action';
  switch (outcome.state) {
    case 'captured': {
      const { rail, amount, currency } = attempt;
      const seen = { rail, amount, currency, rail_reference: outcome.railReference, reference: null, sender: null };
      return await creditPayment(tx, deps, merchant, payment, { ...seen, method: 'card', value: amount }, now);
    }
    case 'requires_action':
      return phase === 'processing' ? await change('requires_action', { type: 'redirect', url: outcome.url }) : payment;
    case 'capturing':
      return phase === 'requires_action' ? await change('processing') : payment;
    case 'unknown':
      return payment;
    case 'abandoned':
      return isWaitedFor ? await change(restingPhase(received)) : payment;
    case 'declined':
      return await applyDecline(deps, tx, payment, isWaitedFor, outcome.decline, now);
  }
}

function attemptColumns(outcome: AttemptOutcome, now: Date) {
  switch (outcome.state) {
    case 'declined':
      return { state: outcome.state, code: outcome.decline.code, message: outcome.decline.message, due_at: null };
    case 'abandoned':
      return { state: outcome.state, due_at: outcome.dueAt ?? null };
    case 'unknown':
      return { state: outcome.state, due_at: addSeconds(now, askAgainSeconds.unknown) };
    case 'captured':
    case 'capturing':
    case 'requires_action': {
      const { state, railReference, brand, last4 } = outcome;
      const dueAt = state === 'captured' ? null : addSeconds(now, askAgainSeconds[state]);
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

/** Asks the rail for the state of an attempt and books the answer. */
async function askRail(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const outcome = await cardRail(deps).chargeStatus(attempt.id, now);
  await bookOutcome(deps, acting, attempt, outcome ?? { state: 'abandoned', dueAt: lateDueAt(now, now) });
}

function lateDueAt(abandonedAt: Date, now: Date): Date | null {
  return lateSeconds.map(seconds => addSeconds(abandonedAt, seconds)).find(at => at > now) ?? null;
}

/**
 * Asks the rail again about an attempt that it did not know. A capture is booked. A charge that waits for 3-D Secure is
 * canceled, because its payer has no page to confirm it.
 */
async function askLate(deps: PaymentDeps, acting: Acting, attempt: AttemptRow): Promise<void> {
  const { now } = acting;
  const rail = cardRail(deps);
  const outcome = await rail.chargeStatus(attempt.id, now);
  if (outcome?.state === 'captured') return await bookOutcome(deps, acting, attempt, outcome);
  if (outcome === null) return await moveAttempt(deps.db, attempt, lateDueAt(attempt.updated_at, now));
  const isCanceled = outcome.state === 'requires_action' && (await rail.cancelCharge(attempt.id));
  const isOver = outcome.state === 'declined' || isCanceled;
  await moveAttempt(deps.db, attempt, isOver ? null : addSeconds(now, askAgainSeconds[outcome.state]));
}

async function actingFor(deps: PaymentDeps, attempt: AttemptRow): Promise<Acting> {
  const merchant = await deps.findMerchant(attempt.merchant_id);
  return { merchant, now: merchantNow(merchant, attempt.livemode, deps.clock.now()) };
}

/** Asks the rail about attempts whose outcome is due. Returns their number. */
export async function followAttempts(deps: PaymentDeps): Promise<number> {
  if (deps.rails.card === null) return 0;
  return await runEach(await claimDueAttempts(deps.db, deps.clock.now(), 20), async attempt => {
    const acting = await actingFor(deps, attempt);
    if (attempt.state === 'abandoned') return await askLate(deps, acting, attempt);
    const key = { merchantId: attempt.merchant_id, paymentId: attempt.payment_id };
    const payment = await findPayment(deps.db, key);
    // The payment was paid another way: the card must not be charged as well.
    if (payment?.status !== 'pending') await giveUpOpenAttempt(deps, acting, key.paymentId);
    await askRail(deps, acting, attempt);
  });
}

/**
 * Handles the payer's return from the rail's page: books the outcome if that is still open. Returns the `return_url` of
 * the attempt; null when there is none.
 */
export async function resumePayment(deps: PaymentDeps, key: PaymentKey): Promise<string | null> {
  const attempt = await findLastAttempt(deps.db, key.merchantId, key.paymentId);
  if (attempt?.state === 'requires_action') await askRail(deps, await actingFor(deps, attempt), attempt);
  return attempt?.return_url ?? null;
}
