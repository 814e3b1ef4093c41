import type { PaymentException } from '../../api/payment.ts';
import { divideRounded, least } from '../../core/money.ts';
import { move, type Posting } from '../ledger/posting.ts';
import { type Merchant, toleranceOf } from '../platform/merchant.ts';
import { isPart, paymentMachine, statusOf, type Tolerance } from './payment.ts';
import type { PaymentRow } from './tables.ts';

type Kept = Pick<
  PaymentRow,
  'amount_received' | 'amount_refunded' | 'amount_refunding' | 'amount_disputed' | 'amount_suspense'
>;

/** The columns that divide a payment's money, in minor units of its currency. */
export type Funds = Kept &
  Pick<PaymentRow, 'amount_settling' | 'amount_settled' | 'amount_receivable' | 'amount_available'>;

/**
 * The part of the received amount that the merchant keeps. Negative if refunded money is disputed too: the merchant then
 * owes it.
 */
export function keptOf(funds: Kept): bigint {
  return funds.amount_received - funds.amount_suspense - givenBack(funds);
}

/** The kept part, or 0 if the payer got money back twice. An owner counts no less than 0 of its payment. */
export function heldOf(funds: Kept): bigint {
  const kept = keptOf(funds);
  return kept > 0n ? kept : 0n;
}

/** The most that the merchant can capture of an authorized card: the amount not received yet. */
export function capturableOf({
  phase,
  amount,
  amount_received: received,
}: Pick<PaymentRow, 'phase' | 'amount' | 'amount_received'>): bigint {
  return phase === 'authorized' ? amount - received : 0n;
}

/**
 * The most that the merchant can refund now, in minor units. 0 before the payment is completed, unless late money came.
 * Excludes disputed money, which the card's bank took back, and direct money, which only the merchant's account can return.
 */
export function refundableOf(payment: PaymentRow): bigint {
  if (statusOf[payment.phase] === 'pending') return 0n;
  const left = payment.amount_received - payment.amount_direct - givenBack(payment);
  return left > 0n ? left : 0n;
}

/**
 * Whether the merchant can cancel the payment: no money is in transit, no prompt is open on a phone, and no more than
 * dust has arrived.
 */
export function canCancel(
  payment: Pick<PaymentRow, 'phase' | 'amount_received' | 'next_action'>,
  merchant: Merchant,
): boolean {
  const { phase, amount_received: received } = payment;
  return paymentMachine.can(phase, 'canceled') && !isPart(received, toleranceOf(merchant)) && !hasPrompt(payment);
}

/** Whether the payer may still approve a prompt on the phone. No operator can withdraw one. */
export function hasPrompt({ next_action: action }: Pick<PaymentRow, 'next_action'>): boolean {
  return action?.type === 'phone_prompt';
}

/** Exceptions about money that the merchant accepts or returns. Dust sets none, so dust needs no decision. */
export const exceptionsToDecide = ['underpaid', 'overpaid', 'paid_late'] as const satisfies readonly PaymentException[];

/** Whether the merchant has to decide about money. `undecided` of `payment.store.ts` is the same rule in SQL. */
export function isUndecided(payment: Waiting): boolean {
  const { exception } = payment;
  // Late money may wait beside an open payment without counting for it.
  return exception === 'paid_late' || (exceptionsToDecide.some(each => each === exception) && holdsMoney(payment));
}

/**
 * Whether money can be accepted or returned: a part of an open payment without a running attempt, or any money, even
 * dust, of another payment. Dust beside an authorized card cannot: the decision would release the card.
 */
export function hasWaitingMoney(payment: Waiting & Pick<PaymentRow, 'amount_received'>, tolerance: Tolerance): boolean {
  const { status, phase, exception, amount_received: received } = payment;
  // A part stays a part when the merchant raises the tolerance afterwards.
  const hasPart = phase === 'partially_paid' || exception === 'underpaid' || isPart(received, tolerance);
  return holdsMoney(payment) && (status !== 'pending' || hasPart);
}

/** Whether there is money in suspense, or direct money of an incomplete payment, and no attempt is running. */
function holdsMoney(payment: Waiting): boolean {
  const { status, phase } = payment;
  if (status === 'pending' && phase !== 'partially_paid' && phase !== 'authorized') return false;
  return payment.amount_suspense > 0n || (payment.amount_direct > 0n && payment.completed_at === null);
}

type Waiting = Pick<
  PaymentRow,
  'status' | 'phase' | 'exception' | 'amount_suspense' | 'amount_direct' | 'completed_at'
>;

/** The amount that was or is being returned to the payer: refunds, and disputes that are open or lost. */
export function givenBack(funds: Pick<Funds, 'amount_refunded' | 'amount_refunding' | 'amount_disputed'>): bigint {
  return funds.amount_refunded + funds.amount_refunding + funds.amount_disputed;
}

/**
 * The part of the kept amount that is not settled, not being settled and not in the available balance. A negative
 * amount is the merchant's debt.
 */
export function unsettled(funds: Funds): bigint {
  return keptOf(funds) - funds.amount_settled - funds.amount_settling - funds.amount_available;
}

/** The balance of the payment in the account `merchant.pending`. */
export function pendingFunds(funds: Funds): bigint {
  return unsettled(funds) + funds.amount_receivable;
}

/** An amount taken from the merchant: from pending money, from the available balance, and the rest as a debt. */
export interface Taken {
  readonly pending: bigint;
  readonly available: bigint;
  readonly receivable: bigint;
}

/**
 * Takes an amount from the payment's pending money first. The next part comes from the payment's money in the available
 * balance, but never more than the whole balance (`available`). The rest was already settled or spent, and becomes the
 * merchant's debt.
 */
export function takeOwned(funds: Funds, amount: bigint, available: bigint): Taken {
  const there = pendingFunds(funds);
  const pending = amount < there ? amount : there > 0n ? there : 0n;
  const spendable = least(funds.amount_available, available > 0n ? available : 0n);
  const fromBalance = least(amount - pending, spendable);
  return { pending, available: fromBalance, receivable: amount - pending - fromBalance };
}

/** The part of an amount that the available balance must pay, because pending money does not cover it. */
export function neededOfBalance(funds: Funds, amount: bigint): bigint {
  return takeOwned(funds, amount, funds.amount_available).available;
}

/** An amount returned to the merchant: to the payment's pending money, and to reduce the debt. */
export type Returned = Omit<Taken, 'available'>;

/** Returns an amount to the merchant: it reduces the debt first. */
export function returnOwned(funds: Pick<Funds, 'amount_receivable'>, amount: bigint): Returned {
  const receivable = amount < funds.amount_receivable ? amount : funds.amount_receivable;
  return { pending: amount - receivable, receivable };
}

/** Postings that move a taken amount to another account. */
export function takenPostings(taken: Taken, to: Posting['account'], currency: string): Posting[] {
  return [
    ...move('merchant.pending', to, currency, taken.pending),
    ...move('merchant.available', to, currency, taken.available),
    ...move('merchant.receivable', to, currency, taken.receivable),
  ];
}

/** Postings that move a returned amount back from another account. */
export function returnedPostings(returned: Returned, from: Posting['account'], currency: string): Posting[] {
  return [
    ...move(from, 'merchant.pending', currency, returned.pending),
    ...move(from, 'merchant.receivable', currency, returned.receivable),
  ];
}

/**
 * Converts `amount` of the payment to its settlement asset at the quoted rate. `before` is the part that was
 * settled earlier. The shares of a payment always sum to the quoted amount.
 */
export function settlementShare(
  payment: Pick<PaymentRow, 'amount' | 'quote_amount'>,
  before: bigint,
  amount: bigint,
): bigint {
  const upTo = (part: bigint) => divideRounded(payment.quote_amount * part, payment.amount);
  return upTo(before + amount) - upTo(before);
}
