import type { CapturePayment } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Answer, Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { CardRail } from '../../rails/card-rail.ts';
import { cardRailNamed } from '../../rails/rails.ts';
import { withArrivalRates } from '../arrival-quote.ts';
import { type AttemptRow, findAttempt, findOpenAttempt, outcomesOf } from '../attempts/attempt.store.ts';
import type { Acting, RailOutcome } from '../attempts/attempt.ts';
import { applyOutcome, bookOutcome, released } from '../attempts/attempt-outcome.service.ts';
import { chargeOutcome } from '../attempts/attempt-rails.ts';
import type { Confirmation } from '../attempts/attempt-start.service.ts';
import { lockPayment } from '../payment.store.ts';
import { planPaymentChange, unchangedPayment, writePaymentChanges } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { capturableOf } from '../payment-funds.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import type { PaymentRow } from '../tables.ts';

/** Seconds until the rail is asked again after a capture that a crash may have interrupted. */
const askAgainSeconds = 30;

/**
 * Captures an authorized card in three steps that each survive a crash: store the amount, ask the rail, book the
 * outcome. The rail captures an attempt's id only once. The captured amount completes the payment, and the rest is
 * released. After the end of its quote, the payment settles at the rate of the capture. If the outcome is unknown, the
 * payment stays `processing` until the rail responds. Throws 409 unless a card is authorized, `unavailable` if its
 * rail is not connected, `amount_out_of_range`, and the card error of a declined capture.
 */
export async function capturePayment(
  deps: PaymentDeps,
  { caller, paymentId, execution, render }: Confirmation,
  body: CapturePayment,
): Promise<Answer> {
  await readPayment(deps, caller, paymentId);
  const attempt =
    (await crashedCapture(deps, caller, paymentId, execution.resumedId)) ??
    (await startCapture(deps, caller, paymentId, body.amount, execution));
  const outcome = await capture(cardRailNamed(deps.rails, attempt.rail), attempt, caller.now);
  if (outcome.state === 'declined' || outcome.state === 'released') {
    await bookOutcome(deps, caller, attempt, outcome);
    if (outcome.state === 'declined') throw new PayError(outcome.decline.code, outcome.decline.message);
    throw new PayError('illegal_state', released.message);
  }
  return await withArrivalRates(deps, rates =>
    execution.commit(async tx => render(await applyOutcome(deps, tx, caller, attempt, outcome, rates))),
  );
}

/** An attempt whose capture was started. */
type CapturedAttempt = AttemptRow & { readonly capture_amount: bigint };

/** The capture that a crashed call with the same key has started. The rail answers it with its outcome. */
async function crashedCapture(
  { db }: PaymentDeps,
  { merchant }: Acting,
  paymentId: string,
  id: string | null,
): Promise<CapturedAttempt | null> {
  const attempt = id === null ? null : await findAttempt(db, { merchantId: merchant.id, paymentId }, id);
  const amount = attempt?.capture_amount ?? null;
  return attempt === null || amount === null ? null : { ...attempt, capture_amount: amount };
}

/**
 * Stores the amount to capture. The lock on the payment makes a second capture or a cancellation wait and then fail.
 */
async function startCapture(
  deps: PaymentDeps,
  { merchant, now }: Acting,
  paymentId: string,
  wanted: number | undefined,
  execution: Execution,
): Promise<CapturedAttempt> {
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: merchant.id, paymentId });
    assertAuthorized(payment, now);
    const most = capturableOf(payment);
    const amount = wanted === undefined ? most : BigInt(wanted);
    if (amount > most) {
      throw new PayError('amount_out_of_range', `At most ${most} of this payment can be captured.`, {
        param: 'amount',
      });
    }
    const attempt = await findOpenAttempt(tx, merchant.id, paymentId);
    if (attempt === null) throw new Error(`payment ${paymentId} is authorized without an open attempt`);
    cardRailNamed(deps.rails, attempt.rail);
    const dueAt = addSeconds(now, askAgainSeconds);
    const columns = { state: 'capturing', capture_amount: amount, due_at: dueAt, updated_at: now } as const;
    const plan = planPaymentChange(deps, unchangedPayment(payment, now), { to: 'processing', now });
    await writePaymentChanges(tx, deps, [plan], { writes: [await outcomesOf(tx, [{ ...attempt, ...columns }])] });
    await execution.started(tx, attempt.id);
    return { ...attempt, ...columns };
  });
}

/** Throws the error for a payment that has no authorized card now. */
function assertAuthorized({ phase, status, capture_method, session_expires_at: end }: PaymentRow, now: Date): void {
  if (capture_method !== 'manual') {
    const message = 'This payment takes the money at once. Create it with capture_method manual to capture later.';
    throw new PayError('illegal_state', message);
  }
  if (phase === 'processing') throw new PayError('payment_in_flight', 'Wait for the outcome of the capture under way.');
  if (status === 'completed' || status === 'refunded') {
    throw new PayError('payment_already_settled', 'This payment has been paid already. It is captured once.');
  }
  if (phase === 'expired' || (phase === 'authorized' && now >= end)) {
    throw new PayError('payment_expired', 'The time to capture this payment is over. Its card was released.');
  }
  if (phase === 'authorized') return;
  throw new PayError('illegal_state', `The payment is ${phase.replaceAll('_', ' ')}: no card is authorized for it.`);
}

async function capture(rail: CardRail, attempt: CapturedAttempt, now: Date): Promise<RailOutcome> {
  try {
    return chargeOutcome(await rail.capture({ attemptId: attempt.id, amount: attempt.capture_amount, now }));
  } catch {
    // The rail may have captured the money. The service asks the rail again until it responds.
    return { state: 'unknown' };
  }
}
