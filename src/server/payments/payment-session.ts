import type { NextAction, PaymentMethod } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Merchant, toleranceOf } from '../platform/merchant.ts';
import { isPart, paymentMachine } from './payment.ts';
import { changePayment, type PaymentChange } from './payment-change.ts';
import { type ChangeContext, purposeOf } from './payment-purpose.ts';
import type { PaymentRow } from './tables.ts';

/** Throws PayError if the payment cannot be paid now by the method. */
export function assertPayable(
  context: Pick<ChangeContext, 'purposes'>,
  payment: PaymentRow,
  method: PaymentMethod,
  now: Date,
): void {
  if (!payment.payment_methods.includes(method)) {
    const message = `This payment does not take ${method.replace('_', ' ')}.`;
    throw new PayError('payment_method_not_allowed', message, { param: 'method' });
  }
  assertOpen(context, payment, now);
  if (now >= payment.expires_at) {
    throw new PayError('quote_expired', 'The quote has expired. Get a new one with POST …/quotes, then confirm again.');
  }
}

/** Throws PayError unless the payment still waits for its payer. */
export function assertOpen(context: Pick<ChangeContext, 'purposes'>, payment: PaymentRow, now: Date): void {
  if (payment.status === 'completed' || payment.status === 'refunded') {
    throw new PayError('payment_already_settled', 'This payment has been paid already.');
  }
  if (payment.phase === 'expired' || (payment.status === 'pending' && now >= payment.session_expires_at)) {
    throw new PayError('payment_expired', 'This payment has expired. Create a new one.');
  }
  if (payment.status === 'failed') {
    const ended = purposeOf(context, payment)?.endedError(payment);
    throw ended ?? new PayError('illegal_state', `The payment is ${payment.phase} and can no longer be paid.`);
  }
  if (payment.phase === 'processing' || payment.phase === 'confirming') {
    throw new PayError('payment_in_flight', 'A payment attempt is under way. Wait for its outcome.');
  }
  if (payment.phase === 'authorized') {
    throw new PayError('payment_in_flight', 'A card is authorized for this payment. Nothing more is needed to pay it.');
  }
}

/** Whether a bank transfer may still pay the payment, and no other attempt is running. */
export function waitsForMoney({ phase }: Pick<PaymentRow, 'phase'>): boolean {
  return phase === 'awaiting_payer' || phase === 'awaiting_funds' || phase === 'partially_paid';
}

/**
 * The phase of a payment that waits for money by a method other than card. A part stays a part when the merchant raises
 * the tolerance afterwards.
 */
export function waitingPhase(payment: PaymentRow, merchant: Merchant): 'partially_paid' | 'awaiting_funds' {
  const hasPart = payment.phase === 'partially_paid' || isPart(payment.amount_received, toleranceOf(merchant));
  return hasPart ? 'partially_paid' : 'awaiting_funds';
}

/** Makes a locked payment wait for money by `method`, with the given instructions. */
export async function awaitFunds(
  tx: Tx,
  context: ChangeContext,
  payment: PaymentRow,
  { method, merchant, nextAction, set = {}, now }: AwaitedFunds,
): Promise<PaymentRow> {
  const to = waitingPhase(payment, merchant);
  return await changePayment(tx, context, payment, { to, set: { ...set, method, next_action: nextAction }, now });
}

interface AwaitedFunds {
  readonly method: PaymentMethod;
  readonly merchant: Merchant;
  readonly nextAction: NextAction | null;
  readonly set?: PaymentChange['set'];
  readonly now: Date;
}

const unpaidInTime = { failure_code: 'session_expired', failure_message: 'The time to pay ran out.' } as const;
const uncapturedInTime = {
  failure_code: 'authorization_expired',
  failure_message: 'The authorized card was not captured in time, so its money was released.',
} as const;

/** Whether the payment ended only because its session was over. */
export function isTimeOver({ phase, failure_code: code }: Pick<PaymentRow, 'phase' | 'failure_code'>): boolean {
  return phase === 'expired' && (code === unpaidInTime.failure_code || code === uncapturedInTime.failure_code);
}

/** The end of a payment whose session, or whose card's authorization, is over. */
export function sessionEnded({ phase }: Pick<PaymentRow, 'phase'>, now: Date): PaymentChange {
  const failure = phase === 'authorized' ? uncapturedInTime : unpaidInTime;
  return { to: 'expired', set: { ...failure, next_action: null }, now };
}

/**
 * Expires a locked payment whose session is over on the merchant's clock. A payment with money in transit is not
 * expired, because the money may still arrive. Returns the payment after the change.
 */
export async function endOverdueSession(
  tx: Tx,
  context: ChangeContext,
  payment: PaymentRow,
  now: Date,
): Promise<PaymentRow> {
  const isOver = payment.status === 'pending' && now >= payment.session_expires_at;
  if (!isOver || !paymentMachine.can(payment.phase, 'expired')) return payment;
  return await changePayment(tx, context, payment, sessionEnded(payment, now));
}
