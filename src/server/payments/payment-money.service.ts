import type { EventType } from '../../api/event.ts';
import type { NextAction, PaymentMethod } from '../../api/payment.ts';
import { newId } from '../../core/id.ts';
import type { Tx } from '../db/database.ts';
import { post } from '../ledger/ledger.store.ts';
import { exchange, move, type Posting } from '../ledger/posting.ts';
import type { Merchant } from '../merchants/merchant.ts';
import { changePayment } from './payment.store.ts';
import { type Judgement, judgeReceived, statusOf } from './payment.ts';
import type { PaymentRow, ViewContext } from './payment.view.ts';
import { insertTransfer } from './transfer.store.ts';

/** Money that arrived for a payment. `value` is what it is worth in the payment's currency, in minor units. */
export interface Arrival {
  readonly method: PaymentMethod;
  readonly rail: string;
  readonly railReference: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly value: bigint;
  readonly reference: string | null;
  readonly sender: string | null;
}

/** What booking needs besides the rows. */
export interface MoneyContext extends ViewContext {
  /** What a payer who paid a part is told to do next, for what is still due (minor units). */
  readonly nextActionFor: (tx: Tx, merchant: Merchant, payment: PaymentRow, due: bigint) => Promise<NextAction | null>;
}

/**
 * Books an arrival on a payment that the transaction holds locked: the transfer, the postings, the new phase and its
 * events, all or nothing. The same rail reference twice is the same money and changes nothing. Money for a payment
 * that is over or full is kept in suspense until the merchant decides.
 */
export async function creditPayment(
  tx: Tx,
  context: MoneyContext,
  merchant: Merchant,
  payment: PaymentRow,
  arrival: Arrival,
  now: Date,
): Promise<PaymentRow> {
  const open = statusOf[payment.phase] === 'pending';
  const received = payment.amount_received + arrival.value;
  const judgement = open
    ? judgeReceived(payment.amount, received, {
        basisPoints: merchant.toleranceBasisPoints,
        units: merchant.toleranceUnits,
      })
    : null;
  const excess = judgement === null ? arrival.value : judgement.excess;
  const isNew = await insertTransfer(tx, {
    ...transferOf(payment, arrival, now),
    amount_applied: arrival.value - excess,
    amount_excess: excess,
  });
  if (!isNew) return payment;
  const suspense = judgement === null ? payment.amount_suspense + arrival.value : suspenseAfter(judgement, received);
  await post(tx, {
    merchantId: payment.merchant_id,
    livemode: payment.livemode,
    kind: arrival.method === 'card' ? 'capture' : 'bank_credit',
    paymentId: payment.id,
    postings: arrivalPostings(payment, arrival, suspense),
    now,
  });
  const counted = { amount_received: received, amount_suspense: suspense };
  if (judgement === null) return await keepLate(tx, context, payment, counted, now);
  return await applyJudgement(tx, context, { merchant, payment, arrival, judgement, counted, now });
}

interface Counted {
  readonly amount_received: bigint;
  readonly amount_suspense: bigint;
}

function transferOf(payment: PaymentRow, arrival: Arrival, now: Date) {
  return {
    merchant_id: payment.merchant_id,
    id: newId('transfer'),
    livemode: payment.livemode,
    rail: arrival.rail,
    rail_reference: arrival.railReference,
    payment_id: payment.id,
    status: 'matched' as const,
    amount: arrival.amount,
    currency: arrival.currency,
    reference: arrival.reference,
    sender: arrival.sender,
    created_at: now,
  };
}

/** Until a payment is full all of it waits in suspense; then only what is on top. */
function suspenseAfter(judgement: Judgement, received: bigint): bigint {
  return judgement.phase === 'paid' ? judgement.excess : received;
}

/** The arrival enters by the rail; what was and is in suspense changes by the difference, the rest becomes the merchant's. */
function arrivalPostings(payment: PaymentRow, arrival: Arrival, suspense: bigint): Posting[] {
  const intoSuspense = suspense - payment.amount_suspense;
  const { currency } = payment;
  return [
    ...exchange(
      `clearing.${arrival.rail}`,
      { currency: arrival.currency, amount: arrival.amount },
      'merchant.suspense',
      { currency, amount: arrival.value },
    ),
    ...move('merchant.suspense', 'merchant.pending', currency, arrival.value - intoSuspense),
  ];
}

async function keepLate(
  tx: Tx,
  context: ViewContext,
  payment: PaymentRow,
  counted: Counted,
  now: Date,
): Promise<PaymentRow> {
  const late = statusOf[payment.phase] === 'failed';
  const event: EventType = late ? 'payment.paid_late' : 'payment.overpaid';
  return await changePayment(tx, context, payment, {
    set: { ...counted, exception: late ? 'paid_late' : 'overpaid' },
    events: [event],
    now,
  });
}

interface Judged {
  readonly merchant: Merchant;
  readonly payment: PaymentRow;
  readonly arrival: Arrival;
  readonly judgement: Judgement;
  readonly counted: Counted;
  readonly now: Date;
}

async function applyJudgement(tx: Tx, context: MoneyContext, judged: Judged): Promise<PaymentRow> {
  const { payment, judgement, counted, now } = judged;
  const paid = judgement.phase === 'paid';
  const due = payment.amount - counted.amount_received;
  const nextAction = paid ? null : await context.nextActionFor(tx, judged.merchant, payment, due);
  const more = judgement.exception === 'overpaid' ? (['payment.overpaid'] as const) : [];
  const again = payment.phase === judgement.phase ? (['payment.partially_paid'] as const) : [];
  return await changePayment(tx, context, payment, {
    to: judgement.phase,
    set: {
      ...counted,
      method: judged.arrival.method,
      exception: judgement.exception,
      next_action: nextAction === null ? null : JSON.stringify(nextAction),
      ...(paid ? completion(now) : {}),
    },
    events: [...again, ...more],
    now,
  });
}

/** What becomes true the moment a payment completes. */
function completion(now: Date) {
  return { completed_at: now, settlement_status: 'pending' as const, failure_code: null, failure_message: null };
}

/**
 * The merchant takes what is there as enough: an unfinished payment completes, late money completes it after all,
 * and what came on top becomes the merchant's.
 */
export async function acceptMoney(tx: Tx, context: ViewContext, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  await post(tx, {
    merchantId: payment.merchant_id,
    livemode: payment.livemode,
    kind: 'accepted',
    paymentId: payment.id,
    postings: move('merchant.suspense', 'merchant.pending', payment.currency, payment.amount_suspense),
    now,
  });
  const completes = statusOf[payment.phase] !== 'completed';
  return await changePayment(tx, context, payment, {
    ...(completes ? { to: 'paid' as const } : {}),
    set: { amount_suspense: 0n, ...(completes ? { ...completion(now), next_action: null } : {}) },
    now,
  });
}
