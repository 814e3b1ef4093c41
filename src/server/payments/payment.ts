import type { EventType } from '../../api/event.ts';
import type { PaymentException, PaymentPhase, PaymentStatus } from '../../api/payment.ts';
import { defineMachine } from '../../core/machine.ts';
import { basisPointsOf } from '../../core/money.ts';

/**
 * The life of a payment. Each line: a phase, and the phases it may go to. The same table guards the SQL that makes
 * the step. `declined`, `expired` and `canceled` lead on only to `paid`: money that came late and that the merchant accepts.
 * From where money is on its way nobody cancels: `processing` and `confirming` end by what becomes of it, `declined` where
 * nobody takes it.
 */
export const paymentMachine = defineMachine<PaymentPhase>({
  awaiting_payer: ['processing', 'awaiting_funds', 'partially_paid', 'paid', 'expired', 'canceled', 'declined'],
  awaiting_funds: [
    'processing',
    'awaiting_payer',
    'partially_paid',
    'confirming',
    'paid',
    'expired',
    'canceled',
    'declined',
  ],
  processing: ['requires_action', 'awaiting_payer', 'awaiting_funds', 'partially_paid', 'paid', 'declined'],
  requires_action: [
    'processing',
    'awaiting_payer',
    'awaiting_funds',
    'partially_paid',
    'paid',
    'declined',
    'expired',
    'canceled',
  ],
  confirming: ['paid', 'partially_paid', 'awaiting_funds', 'declined'],
  partially_paid: ['processing', 'confirming', 'paid', 'expired', 'canceled', 'declined'],
  paid: ['partially_refunded', 'refunded'],
  partially_refunded: ['refunded'],
  declined: ['paid'],
  expired: ['paid'],
  canceled: ['paid'],
  refunded: [],
});

/** The status of the specification (§3) that each phase belongs to. */
export const statusOf: Readonly<Record<PaymentPhase, PaymentStatus>> = {
  awaiting_payer: 'pending',
  requires_action: 'pending',
  awaiting_funds: 'pending',
  partially_paid: 'pending',
  confirming: 'pending',
  processing: 'pending',
  paid: 'completed',
  partially_refunded: 'completed',
  declined: 'failed',
  expired: 'failed',
  canceled: 'failed',
  refunded: 'refunded',
};

/** The event that tells of reaching a phase; phases without one are steps that only the stream shows. */
export const eventOfPhase: Readonly<Partial<Record<PaymentPhase, EventType>>> = {
  requires_action: 'payment.requires_action',
  partially_paid: 'payment.partially_paid',
  confirming: 'payment.confirming',
  paid: 'payment.completed',
  declined: 'payment.failed',
  expired: 'payment.failed',
  canceled: 'payment.failed',
  refunded: 'payment.refunded',
};

/** A payment ends as `declined` after this many declined attempts. */
export const maxDeclinedAttempts = 10;

/** How much may be missing or on top before it matters: the larger of a share of the amount and a few units of dust. */
export interface Tolerance {
  readonly basisPoints: number;
  readonly units: bigint;
}

/** What an arrival means for an open payment. `excess` is what exceeds the amount, in minor units. */
export interface Judgement {
  readonly phase: 'paid' | 'partially_paid';
  readonly exception: PaymentException | null;
  readonly excess: bigint;
}

/** Judges what has been received in all against what was asked, both in the payment's currency. */
export function judgeReceived(amount: bigint, received: bigint, tolerance: Tolerance): Judgement {
  const tolerated = largest(basisPointsOf(amount, tolerance.basisPoints), tolerance.units);
  // However small the payment, nothing is not enough.
  const slack = tolerated < amount ? tolerated : amount - 1n;
  if (received < amount - slack) return { phase: 'partially_paid', exception: 'underpaid', excess: 0n };
  const excess = received > amount ? received - amount : 0n;
  return { phase: 'paid', exception: excess > tolerated ? 'overpaid' : null, excess };
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Where a payment goes back to when an attempt at it ended without money. */
export function restingPhase(amountReceived: bigint): PaymentPhase {
  return amountReceived > 0n ? 'partially_paid' : 'awaiting_payer';
}
