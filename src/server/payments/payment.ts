import type { EventType } from '../../api/event.ts';
import type { PaymentException, PaymentPhase, PaymentStatus } from '../../api/payment.ts';
import { defineMachine } from '../../core/machine.ts';
import { basisPointsOf } from '../../core/money.ts';

const unpaid = ['expired', 'canceled', 'declined'] as const;

/**
 * The phases of a payment, and the next phases of each. The same table guards the SQL that changes a phase. `declined`,
 * `expired` and `canceled` lead only to `paid`: when the merchant accepts late money, or when money that arrived before
 * the expiry is booked later. `processing` and `confirming` may have money in transit, so they cannot be canceled. They
 * end as `declined` if the money is refused. `authorized` holds money on a card until the merchant captures it. A refund
 * that comes back from its rail leads from `refunded` to an earlier phase.
 */
export const paymentMachine = defineMachine<PaymentPhase>({
  awaiting_payer: ['processing', 'awaiting_funds', 'partially_paid', 'paid', ...unpaid],
  awaiting_funds: ['processing', 'awaiting_payer', 'partially_paid', 'confirming', 'paid', ...unpaid],
  processing: [
    'requires_action',
    'authorized',
    'awaiting_payer',
    'awaiting_funds',
    'partially_paid',
    'paid',
    'declined',
  ],
  requires_action: [
    'processing',
    'authorized',
    'awaiting_payer',
    'awaiting_funds',
    'partially_paid',
    'paid',
    ...unpaid,
  ],
  authorized: ['processing', 'awaiting_payer', 'partially_paid', 'paid', ...unpaid],
  confirming: ['paid', 'partially_paid', 'awaiting_funds', 'declined'],
  partially_paid: ['processing', 'confirming', 'paid', ...unpaid],
  paid: ['partially_refunded', 'refunded'],
  partially_refunded: ['refunded', 'paid'],
  declined: ['paid'],
  expired: ['paid'],
  canceled: ['paid'],
  refunded: ['partially_refunded', 'paid'],
});

export const statusOf: Readonly<Record<PaymentPhase, PaymentStatus>> = {
  awaiting_payer: 'pending',
  requires_action: 'pending',
  awaiting_funds: 'pending',
  partially_paid: 'pending',
  confirming: 'pending',
  processing: 'pending',
  authorized: 'pending',
  paid: 'completed',
  partially_refunded: 'completed',
  declined: 'failed',
  expired: 'failed',
  canceled: 'failed',
  refunded: 'refunded',
};

/**
 * The event of a step to a phase. Steps without an event appear only in the stream. A payment reports `completed` once,
 * so a refund that comes back is reported by `refund.failed` alone.
 */
export function eventOfStep(from: PaymentPhase, to: PaymentPhase): EventType | undefined {
  const isRefundBack = from === 'partially_refunded' || from === 'refunded';
  return isRefundBack && to === 'paid' ? undefined : eventOfPhase[to];
}

const eventOfPhase: Readonly<Partial<Record<PaymentPhase, EventType>>> = {
  requires_action: 'payment.requires_action',
  authorized: 'payment.authorized',
  partially_paid: 'payment.partially_paid',
  confirming: 'payment.confirming',
  paid: 'payment.completed',
  declined: 'payment.failed',
  expired: 'payment.failed',
  canceled: 'payment.failed',
  refunded: 'payment.refunded',
};

/** After this many declined attempts, a payment ends as `declined`. */
export const maxDeclinedAttempts = 10;

/** The accepted deviation from the amount: the larger of a share of the amount and a number of minor units. */
export interface Tolerance {
  readonly basisPoints: number;
  readonly units: bigint;
}

/** The result for an open payment after money was received. `excess` is in minor units. */
export type Judgement = CountedMoney | OnlyDust;

export interface CountedMoney {
  readonly phase: 'paid' | 'partially_paid';
  readonly exception: PaymentException | null;
  readonly excess: bigint;
}

/** The payment waits as if it had received nothing. */
interface OnlyDust {
  readonly phase: null;
  readonly exception: null;
  readonly excess: 0n;
}

/** Compares the total received with the amount, both in minor units of the payment's currency. */
export function judgeReceived(amount: bigint, received: bigint, tolerance: Tolerance): Judgement {
  const tolerated = toleratedOf(amount, tolerance);
  // Tolerance never makes a payment free: it must receive at least one minor unit.
  const slack = tolerated < amount ? tolerated : amount - 1n;
  if (received < amount - slack) {
    return isPart(received, tolerance)
      ? { phase: 'partially_paid', exception: 'underpaid', excess: 0n }
      : { phase: null, exception: null, excess: 0n };
  }
  const excess = received > amount ? received - amount : 0n;
  return { phase: 'paid', exception: excess > tolerated ? 'overpaid' : null, excess };
}

/** Whether the money of an incomplete payment is more than dust. Dust neither pays a part nor prevents a cancellation. */
export function isPart(received: bigint, { units }: Tolerance): boolean {
  return received > units;
}

function toleratedOf(amount: bigint, { basisPoints, units }: Tolerance): bigint {
  const share = basisPointsOf(amount, basisPoints);
  return share > units ? share : units;
}

/**
 * Whether money for an ended or fully paid payment is dust: at most the tolerated number of units. All waiting money
 * (`waiting`) must stay within the tolerance. Strangers can send dust, so dust needs no decision of the merchant.
 */
export function isDust(amount: bigint, value: bigint, waiting: bigint, tolerance: Tolerance): boolean {
  return value === 0n || (value <= tolerance.units && waiting <= toleratedOf(amount, tolerance));
}

/** The phase of a payment after an attempt that brought no money. */
export function restingPhase(amountReceived: bigint, tolerance: Tolerance): 'partially_paid' | 'awaiting_payer' {
  return isPart(amountReceived, tolerance) ? 'partially_paid' : 'awaiting_payer';
}
