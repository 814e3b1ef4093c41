import type { NextAction, PaymentPhase } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { divideDown } from '../../../core/money.ts';
import { type Tx, transact } from '../../platform/db/database.ts';
import { insertOf } from '../../platform/db/rows.ts';
import { keepingOf } from '../../platform/http/idempotency/idempotency.store.ts';
import { stillRunning } from '../../platform/http/idempotency/idempotency.ts';
import type { Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { toleranceOf } from '../../platform/merchant.ts';
import { type CollectedRates, withArrivalRates } from '../arrival-quote.ts';
import { maxDeclinedAttempts, restingPhase } from '../payment.ts';
import {
  type PaymentChange,
  type PlannedPayment,
  planPaymentChange,
  unchangedPayment,
  writePaymentChanges,
} from '../payment-change.ts';
import { planArrival } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { byOwner } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';
import { findTransfer, type NewTransfer } from '../transfer.store.ts';
import { type AttemptOfPayment, type AttemptRow, isOpen, lockToBook, mayTake, outcomesOf } from './attempt.store.ts';
import { type Acting, type AttemptOutcome, askAgainSeconds, type RailOutcome } from './attempt.ts';

/** Seconds after the charge until an uncaptured card is released: seven days. */
const authorizationSeconds = 7 * 86_400;

type RenderedCall = ReturnType<Execution['render']>;

/** An outcome to book. `render` renders the answer of the waiting call. The answer is stored with the booking. */
export interface OutcomeRequest {
  readonly acting: Acting;
  readonly attempt: AttemptRow;
  readonly outcome: AttemptOutcome;
  readonly render?: (payment: PaymentRow) => RenderedCall;
}

export interface BookedOutcome {
  readonly payment: PaymentRow;
  readonly rendered: RenderedCall | null;
}

interface OutcomeBooking {
  readonly rates: CollectedRates;
  /** First looks for an earlier booking of a captured charge. Otherwise the database rejects a second booking. */
  readonly isCareful: boolean;
}

interface PlannedOutcome {
  readonly payment: PaymentRow;
  readonly plan?: PlannedPayment;
  readonly attempt?: AttemptOfPayment;
  readonly transfer?: NewTransfer;
}

/**
 * Books outcomes of attempts of different payments, each once, in one transaction. Changes an ended attempt only if its
 * charge was captured after all (`mayTake`). A payment that now waits for another method, such as a bank transfer,
 * keeps its phase. A card captured after the payment's quote settles at the rate of its booking.
 */
export async function bookOutcomes(
  deps: PaymentDeps,
  tx: Tx,
  requests: readonly OutcomeRequest[],
  { rates, isCareful }: OutcomeBooking,
): Promise<BookedOutcome[]> {
  const locked = await lockToBook(
    tx,
    requests.map(({ attempt }) => attempt),
  );
  const planned = new Map<string, PlannedOutcome>();
  for (const { payment, attempt } of locked.toSorted((a, b) => byOwner(a.payment, b.payment))) {
    const request = requests.find(each => each.attempt.id === attempt.id);
    if (request !== undefined) {
      planned.set(attempt.id, await planOutcome(deps, tx, request, payment, attempt, { rates, isCareful }));
    }
  }
  rates.assertComplete();
  const booked = requests.map(({ attempt, render }) => {
    const payment = planned.get(attempt.id)?.payment;
    if (payment === undefined) throw new Error(`the attempt ${attempt.id} does not exist`);
    return { payment, rendered: render?.(payment) ?? null };
  });
  await writeOutcomes(deps, tx, [...planned.values()], booked);
  return booked;
}

/** Books the outcome of one attempt. Returns the changed payment. */
export async function applyOutcome(
  deps: PaymentDeps,
  tx: Tx,
  acting: Acting,
  attempt: AttemptRow,
  outcome: AttemptOutcome,
  rates: CollectedRates,
): Promise<PaymentRow> {
  const [booked] = await bookOutcomes(deps, tx, [{ acting, attempt, outcome }], { rates, isCareful: true });
  if (booked === undefined) throw new Error('no outcome was booked');
  return booked.payment;
}

/** Books the outcome of one attempt in a transaction of its own. */
export async function bookOutcome(
  deps: PaymentDeps,
  acting: Acting,
  attempt: AttemptRow,
  outcome: AttemptOutcome,
): Promise<void> {
  const request = { acting, attempt, outcome };
  await withArrivalRates(deps, rates =>
    transact(deps.db, tx => bookOutcomes(deps, tx, [request], { rates, isCareful: true })),
  );
}

async function writeOutcomes(
  deps: PaymentDeps,
  tx: Tx,
  planned: readonly PlannedOutcome[],
  booked: readonly BookedOutcome[],
): Promise<void> {
  const plans = planned.flatMap(({ plan }) => plan ?? []);
  const attempts = planned.flatMap(({ attempt }) => attempt ?? []);
  const transfers = planned.flatMap(({ transfer }) => transfer ?? []);
  const answers = booked.flatMap(({ rendered }) => rendered?.kept ?? []);
  const [, , kept] = await writePaymentChanges(tx, deps, plans, {
    writes: [await outcomesOf(tx, attempts), await insertOf(tx, 'transfers', transfers), await keepingOf(tx, answers)],
  });
  if (kept !== answers.length) throw stillRunning();
}

async function planOutcome(
  deps: PaymentDeps,
  tx: Tx,
  { acting, attempt: asked, outcome }: OutcomeRequest,
  payment: PaymentRow,
  found: AttemptOfPayment,
  { rates, isCareful }: OutcomeBooking,
): Promise<PlannedOutcome> {
  const { merchant, now } = acting;
  // Two requests can report the same authorization, and the second changes nothing.
  if (outcome.state === 'authorized' && payment.phase === 'authorized') return { payment };
  const attempt = attemptAfter(payment, found, outcome, now);
  if (attempt === null) return { payment };
  const end = promptEnd(payment, found, attempt);
  if (outcome.state !== 'captured') {
    const resting = restingPhase(payment.amount_received, toleranceOf(merchant));
    const { method, created_at: startedAt } = asked;
    const context = { method, startedAt, isCapture: found.capture_amount !== null, resting };
    const change = isOpen(found.state) ? changeBy(payment, outcome, context, now) : null;
    if (change === null && end === null) return { payment, attempt };
    const plan = planPaymentChange(deps, unchangedPayment(payment, now), withEnd(change ?? { now }, end));
    return { payment: plan.after, plan, attempt };
  }
  if (isCareful && (await findTransfer(tx, payment.merchant_id, asked.rail, outcome.railReference)) !== null) {
    return { payment, attempt };
  }
  const arrival = { ...arrivalOf(asked, outcome), rates, isCaptured: found.capture_amount !== null };
  const credit = await planArrival(tx, deps, merchant, payment, arrival, now);
  const plan = planPaymentChange(deps, unchangedPayment(credit.payment, now), withEnd(await credit.change(), end));
  return { payment: plan.after, plan, attempt, transfer: credit.transfer };
}

/** The attempt after the outcome. Null if it has ended and the outcome changes nothing. */
function attemptAfter(
  payment: PaymentRow,
  found: AttemptOfPayment,
  outcome: AttemptOutcome,
  now: Date,
): AttemptOfPayment | null {
  const columns = attemptColumns(outcome, found.state, now);
  if (!mayTake(found.state, columns.state)) return null;
  // The payment no longer waits for this card, so the authorized card is released at once.
  const dueAt = outcome.state === 'authorized' && !isWaitedFor(payment) ? now : columns.due_at;
  const openNumber = mayBeApproved(outcome) ? found.open_number : null;
  return { ...found, ...columns, open_number: openNumber, due_at: dueAt, updated_at: now };
}

/** Whether the payer may still approve the prompt of the attempt. */
function mayBeApproved(outcome: AttemptOutcome): boolean {
  if (outcome.state === 'abandoned') return outcome.isPromptOpen === true;
  return outcome.state === 'requires_action' || outcome.state === 'unknown';
}

/** The columns of the payment whose open prompt ends with the attempt, or null. */
function promptEnd({ open_prompt: shown }: PaymentRow, found: AttemptOfPayment, after: AttemptOfPayment) {
  const isOver = found.open_number !== null && after.open_number === null;
  return isOver && shown?.number === found.open_number ? ({ open_prompt: null } as const) : null;
}

function withEnd(change: PaymentChange, end: ReturnType<typeof promptEnd>): PaymentChange {
  return end === null ? change : { ...change, set: { ...change.set, ...end } };
}

type Captured = Extract<RailOutcome, { readonly amount: bigint }>;

function arrivalOf(asked: AttemptRow, { railReference: rail_reference, amount, card }: Captured) {
  const { method, rail, currency, number: sender } = asked;
  const value = asked.payment_amount === null ? amount : divideDown(amount * asked.payment_amount, asked.amount);
  const wallet = sender === null ? null : { provider: rail, number: sender };
  return { method, rail, rail_reference, amount, currency, reference: null, sender, card, wallet, value };
}

/** Whether the payment waits for an attempt. */
export function isWaitedFor({ phase }: PaymentRow): boolean {
  return phase === 'processing' || phase === 'requires_action';
}

type RestingPhase = ReturnType<typeof restingPhase>;

interface AttemptContext {
  readonly method: AttemptRow['method'];
  readonly startedAt: Date;
  /** A capture was asked for. */
  readonly isCapture: boolean;
  /** The payment's phase if the attempt ends without money. */
  readonly resting: RestingPhase;
}

/** The change of a payment by an outcome without captured money, or null. */
function changeBy(
  payment: PaymentRow,
  outcome: AttemptOutcome,
  { method, startedAt, isCapture, resting }: AttemptContext,
  now: Date,
): PaymentChange | null {
  const { phase } = payment;
  const isWaited = isWaitedFor(payment);
  const change = (to: PaymentPhase, nextAction: NextAction | null = null): PaymentChange => ({
    to,
    set: { next_action: nextAction },
    now,
  });
  switch (outcome.state) {
    case 'authorized':
      return isWaited ? authorizedChange(outcome, startedAt, now) : null;
    case 'requires_action':
      return phase === 'processing' ? actionChange(outcome, now) : null;
    case 'capturing':
      return phase === 'requires_action' ? change('processing') : null;
    case 'abandoned':
      return isWaited || phase === 'authorized' ? abandonedChange(outcome, method, resting, now) : null;
    case 'released':
      if (isCapture) return uncapturedChange(payment, released, now);
      return isWaited ? change(resting) : null;
    case 'declined':
      if (isCapture) return uncapturedChange(payment, outcome.decline, now);
      // Other money has paid, or the payment has ended, so this attempt no longer concerns its payer.
      if (payment.status !== 'pending') return null;
      return declineChange(payment, isWaited ? resting : null, { method, ...outcome.decline }, now);
    default:
      return null;
  }
}

/** A page of a bank leaves the open prompt of an earlier attempt as it is. */
function actionChange(
  { action }: Extract<RailOutcome, { readonly state: 'requires_action' }>,
  now: Date,
): PaymentChange {
  const set = { next_action: action };
  if (action.type !== 'phone_prompt') return { to: 'requires_action', set, now };
  const { type: _type, ...prompt } = action;
  return { to: 'requires_action', set: { ...set, open_prompt: prompt }, now };
}

function abandonedChange(
  { reason }: Extract<AttemptOutcome, { readonly state: 'abandoned' }>,
  method: AttemptRow['method'],
  to: RestingPhase,
  now: Date,
): PaymentChange {
  return { to, set: { next_action: null, ...(reason !== undefined && { last_attempt: { method, ...reason } }) }, now };
}

function authorizedChange(
  { card }: Extract<RailOutcome, { readonly state: 'authorized' }>,
  chargedAt: Date,
  now: Date,
): PaymentChange {
  const set = { card, next_action: null, session_expires_at: addSeconds(chargedAt, authorizationSeconds) };
  return { to: 'authorized', set, now };
}

/** The failure of a payment for which the card's bank released the money before the capture. */
export const released = {
  code: 'authorization_released',
  message: 'The card’s bank released the money before it was captured. Nothing was taken.',
} as const;

/** Ends a payment whose authorized card could not be captured. The payer has left and cannot try again. */
function uncapturedChange(
  { phase }: PaymentRow,
  { code, message }: { readonly code: string; readonly message: string },
  now: Date,
): PaymentChange | null {
  if (phase !== 'processing') return null;
  const attempt = { method: 'card', code, message } as const;
  return { to: 'declined', set: { failure_code: code, failure_message: message, last_attempt: attempt }, now };
}

function attemptColumns(outcome: AttemptOutcome, before: AttemptRow['state'], now: Date) {
  switch (outcome.state) {
    case 'declined': {
      const { code, message } = outcome.decline;
      return { state: outcome.state, code, message, due_at: 'dueAt' in outcome ? outcome.dueAt : null };
    }
    case 'abandoned':
      return { state: outcome.state, ...outcome.reason, due_at: outcome.dueAt ?? null };
    case 'released':
      return { state: 'abandoned' as const, due_at: null };
    case 'unknown': {
      // A page or a prompt stays open while its rail does not answer. It must end before another attempt.
      const state = before === 'requires_action' ? before : outcome.state;
      return { state, due_at: addSeconds(now, askAgainSeconds.unknown) };
    }
    case 'requires_action': {
      const dueAt = addSeconds(now, outcome.askAgainSeconds);
      return { ...knownColumns(outcome), expires_at: outcome.expiresAt, due_at: dueAt };
    }
    case 'capturing':
      return { ...knownColumns(outcome), due_at: addSeconds(now, askAgainSeconds.capturing) };
    case 'captured':
    case 'authorized':
      return { ...knownColumns(outcome), due_at: null };
  }
}

function knownColumns<State extends string>({
  state,
  railReference,
  card,
}: {
  readonly state: State;
  readonly railReference: string;
  readonly card: { readonly brand: string; readonly last4: string } | null;
}) {
  return { state, rail_reference: railReference, brand: card?.brand ?? null, last4: card?.last4 ?? null };
}

/** `resting`: the next phase of a payment that waited for this attempt, otherwise null. */
function declineChange(
  payment: PaymentRow,
  resting: RestingPhase | null,
  decline: NonNullable<PaymentRow['last_attempt']>,
  now: Date,
): PaymentChange {
  // The payer did nothing wrong if the operator was away.
  const declined = payment.declined_attempts + (decline.code === 'operator_unavailable' ? 0 : 1);
  const isLast = resting === 'awaiting_payer' && declined >= maxDeclinedAttempts;
  const failure = { failure_code: decline.code, failure_message: `Declined ${declined} times. ${decline.message}` };
  return {
    ...(resting !== null && { to: isLast ? 'declined' : resting }),
    set: {
      declined_attempts: declined,
      last_attempt: decline,
      ...(resting !== null && { next_action: null }),
      ...(isLast && failure),
    },
    now,
  };
}
