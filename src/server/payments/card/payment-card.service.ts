import type { ConfirmPayment } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import type { CardRail, ChargeOutcome } from '../../rails/rail.ts';
import { nextBankAction } from '../bank/payment-bank.service.ts';
import { lockPayment } from '../payment.store.ts';
import { maxDeclinedAttempts, restingPhase } from '../payment.ts';
import type { PaymentRow } from '../payment.view.ts';
import { changePayment } from '../payment-change.ts';
import { creditPayment } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertPayable } from '../payment-session.ts';
import { type AttemptRow, findLastAttempt, findOpenAttempt, insertAttempt, updateAttempt } from './card.store.ts';

type CardConfirmation = Extract<ConfirmPayment, { method: 'card' }>;

/** Seconds until the rail is asked again about an attempt, by the attempt's state. */
const askAgainSeconds = { started: 30, requires_action: 15, capturing: 2, unknown: 2 } as const;

/** The card rail. Throws `payment_method_not_allowed` when the service has none. */
export function cardRail(deps: Pick<PaymentDeps, 'rails'>): CardRail {
  if (deps.rails.card === null)
    throw new PayError('payment_method_not_allowed', 'This server takes no cards.', { param: 'method' });
  return deps.rails.card;
}

/**
 * Charges a card token in three steps that each survive a crash: write the attempt, ask the rail, book the outcome. The
 * attempt's id makes a repeated request to the rail charge once. Throws the card error when the card is declined. With
 * an unknown outcome the payment stays `processing` until the rail answers.
 */
export async function confirmCard(
  deps: PaymentDeps,
  caller: Caller,
  paymentId: string,
  body: CardConfirmation,
  execution: Pick<Execution, 'commit'>,
  render: (payment: PaymentRow) => { status: number; body: unknown },
): Promise<{ status: number; body: unknown }> {
  const rail = cardRail(deps);
  if (!(await rail.isToken(body.token))) {
    throw new PayError('invalid_token', 'The card token is unknown or used. Enter the card again.', { param: 'token' });
  }
  await giveUpOpenAttempt(deps, caller, paymentId);
  const attempt = await startAttempt(deps, rail, caller, paymentId, body.return_url ?? null);
  const outcome = await charge(deps, rail, caller, attempt, body.token);
  if (outcome.state === 'declined') {
    await bookOutcome(deps, caller.merchant, attempt, outcome, caller.now);
    throw new PayError(outcome.decline.code, outcome.decline.message);
  }
  return await execution.commit(async tx =>
    render(await applyOutcome(deps, tx, caller.merchant, attempt, outcome, caller.now)),
  );
}

/**
 * Ends the open attempt of a payer who left the 3-D Secure page, before another attempt starts or the payment ends.
 * Otherwise the payer could pay twice. An attempt that has taken the money is booked.
 */
export async function giveUpOpenAttempt(
  deps: PaymentDeps,
  caller: Pick<Caller, 'merchant' | 'now'>,
  paymentId: string,
): Promise<void> {
  const open = await findOpenAttempt(deps.db, caller.merchant.id, paymentId);
  if (open === null || open.state !== 'requires_action') return;
  const rail = cardRail(deps);
  if (await rail.cancelCharge(open.id)) {
    const gaveUp = { state: 'abandoned' } as const;
    await bookOutcome(deps, caller.merchant, open, gaveUp, caller.now);
    return;
  }
  await askRail(deps, rail, caller.merchant, open, caller.now);
}

async function startAttempt(
  deps: PaymentDeps,
  rail: CardRail,
  caller: Caller,
  paymentId: string,
  returnUrl: string | null,
): Promise<AttemptRow> {
  const { merchant, now } = caller;
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
      rail_reference: null,
      brand: null,
      last4: null,
      code: null,
      message: null,
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
  deps: PaymentDeps,
  rail: CardRail,
  caller: Caller,
  attempt: AttemptRow,
  token: string,
): Promise<ChargeOutcome> {
  try {
    return await rail.charge({
      attemptId: attempt.id,
      merchantId: attempt.merchant_id,
      payee: caller.merchant.name,
      token,
      amount: attempt.amount,
      currency: attempt.currency,
      returnUrl: `${deps.publicUrl()}/checkout/resume/${deps.secrets.paymentToken('resume', attempt.merchant_id, attempt.payment_id)}`,
      now: caller.now,
    });
  } catch {
    // The rail may have taken the money: it is asked until it answers.
    return { state: 'unknown' };
  }
}

/** The outcome of an attempt: the rail's answer, or `abandoned` when it never reached the rail or was given up. */
type AttemptOutcome = ChargeOutcome | { readonly state: 'abandoned' };

async function bookOutcome(
  deps: PaymentDeps,
  merchant: Merchant,
  attempt: AttemptRow,
  outcome: AttemptOutcome,
  now: Date,
): Promise<PaymentRow> {
  return await deps.db.transaction().execute(tx => applyOutcome(deps, tx, merchant, attempt, outcome, now));
}

/**
 * Books the outcome of an attempt once; an attempt that has ended does not change. A payment that now waits for another
 * method, such as a bank transfer, keeps its phase.
 */
async function applyOutcome(
  deps: PaymentDeps,
  tx: Tx,
  merchant: Merchant,
  attempt: AttemptRow,
  outcome: AttemptOutcome,
  now: Date,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, { merchantId: attempt.merchant_id, paymentId: attempt.payment_id });
  const isNews = await updateAttempt(tx, attempt, { ...attemptColumns(outcome, now), updated_at: now });
  if (!isNews) return payment;
  if (outcome.state === 'captured') {
    const context = { ...deps, nextActionFor: nextBankAction.bind(null, deps) };
    return await creditPayment(tx, context, merchant, payment, arrivalOf(attempt, outcome.railReference), now);
  }
  const { phase } = payment;
  const isWaitedFor = phase === 'processing' || phase === 'requires_action';
  switch (outcome.state) {
    case 'requires_action': {
      if (phase !== 'processing') return payment;
      const nextAction = { type: 'redirect', url: outcome.url } as const;
      return await changePayment(tx, deps, payment, { to: 'requires_action', set: { next_action: nextAction }, now });
    }
    case 'capturing':
      if (phase !== 'requires_action') return payment;
      return await changePayment(tx, deps, payment, { to: 'processing', set: { next_action: null }, now });
    case 'unknown':
      return payment;
    case 'abandoned':
      if (!isWaitedFor) return payment;
      return await changePayment(tx, deps, payment, {
        to: restingPhase(payment.amount_received),
        set: { next_action: null },
        now,
      });
    case 'declined':
      return await applyDecline(deps, tx, payment, isWaitedFor, outcome.decline, now);
  }
}

function arrivalOf(attempt: AttemptRow, railReference: string) {
  return {
    method: 'card' as const,
    rail: attempt.rail,
    railReference,
    amount: attempt.amount,
    currency: attempt.currency,
    value: attempt.amount,
    reference: null,
    sender: null,
  };
}

function attemptColumns(outcome: AttemptOutcome, now: Date) {
  switch (outcome.state) {
    case 'declined':
      return { state: outcome.state, code: outcome.decline.code, message: outcome.decline.message, due_at: null };
    case 'abandoned':
      return { state: outcome.state, due_at: null };
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
  return await changePayment(tx, deps, payment, {
    ...(isWaitedFor ? { to: isLast ? 'declined' : restingPhase(payment.amount_received) } : {}),
    set: {
      declined_attempts: declined,
      last_attempt: { method: 'card', code: decline.code, message: decline.message },
      ...(isWaitedFor ? { next_action: null } : {}),
      ...(isLast
        ? { failure_code: decline.code, failure_message: `Declined ${declined} times. ${decline.message}` }
        : {}),
    },
    now,
  });
}

/** Asks the rail for the state of an attempt and books the answer. */
export async function askRail(
  deps: PaymentDeps,
  rail: CardRail,
  merchant: Merchant,
  attempt: AttemptRow,
  now: Date,
): Promise<PaymentRow> {
  const outcome = (await rail.chargeStatus(attempt.id, now)) ?? ({ state: 'abandoned' } as const);
  return await bookOutcome(deps, merchant, attempt, outcome, now);
}

/**
 * Handles the payer's return from the rail's page: books the outcome if that is still open. Returns the `return_url` of
 * the attempt; null when there is none.
 */
export async function resumePayment(
  deps: PaymentDeps,
  key: { readonly merchantId: string; readonly paymentId: string },
): Promise<string | null> {
  const attempt = await findLastAttempt(deps.db, key.merchantId, key.paymentId);
  if (attempt?.state === 'requires_action') {
    const merchant = await deps.findMerchant(key.merchantId);
    await askRail(deps, cardRail(deps), merchant, attempt, merchantNow(merchant, attempt.livemode, deps.clock.now()));
  }
  return attempt?.return_url ?? null;
}
