import type { NextAction, PaymentMethod, PaymentPhase } from '../../api/payment.ts';
import { newId } from '../../core/id.ts';
import { move } from '../ledger/posting.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Merchant, toleranceOf } from '../platform/merchant.ts';
import { paymentMachine, statusOf } from './payment.ts';
import type { PaymentRow } from './payment.view.ts';
import { changePayment } from './payment-change.ts';
import { completion, planCredit } from './payment-credit.ts';
import { type ChangeContext, purposeOf } from './payment-purpose.ts';
import { findTransfer, insertTransfer, offChain } from './transfers/transfer.store.ts';

/** Money received by card or bank for a payment. `value` is in minor units of the payment's currency. */
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

/** What booking a credit needs besides the rows. */
export interface MoneyContext extends ChangeContext {
  /** The payer's next action after a partial payment, for the remaining amount (minor units). */
  readonly nextActionFor: (tx: Tx, merchant: Merchant, payment: PaymentRow, due: bigint) => Promise<NextAction | null>;
}

/**
 * Credits received money to a locked payment: transfer, postings, phase and events in one transaction. The same rail
 * reference is the same money and changes nothing. Money for a payment that is over or full, or that its purpose
 * refuses, stays in suspense until the merchant decides.
 */
export async function creditPayment(
  tx: Tx,
  context: MoneyContext,
  merchant: Merchant,
  found: PaymentRow,
  arrival: Arrival,
  now: Date,
): Promise<PaymentRow> {
  const payment = (await isKnown(tx, found, arrival)) ? found : await admitMoney(tx, context, found, now);
  const credit = { ...arrival, from: `clearing.${arrival.rail}`, isInTime: false, direct: null } as const;
  const plan = planCredit(payment, credit, toleranceOf(merchant), now);
  const isNew = await insertTransfer(tx, { ...transferOf(payment, arrival, now), ...plan.counted });
  if (!isNew) return payment;
  const bookings = [{ kind: arrival.method === 'card' ? 'capture' : 'bank_credit', postings: plan.postings }];
  const nextAction = plan.due === null ? null : await context.nextActionFor(tx, merchant, payment, plan.due);
  return await changePayment(tx, context, payment, { ...plan.change(nextAction), bookings });
}

/** Whether the money was booked before. Then its purpose is not asked again. */
async function isKnown(tx: Tx, payment: PaymentRow, { rail, railReference }: Arrival): Promise<boolean> {
  if (payment.owner_id === null) return false;
  return (await findTransfer(tx, payment.merchant_id, rail, railReference)) !== null;
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
    ...offChain,
    created_at: now,
  };
}

/**
 * The merchant accepts the money that is there: an unfinished or late payment completes, and an excess becomes the
 * merchant's.
 */
export async function acceptMoney(tx: Tx, context: ChangeContext, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  const postings = move('merchant.suspense', 'merchant.pending', payment.currency, payment.amount_suspense);
  const bookings = [{ kind: 'accepted', postings }];
  const set = { amount_suspense: 0n, settlement_due_at: now };
  if (statusOf[payment.phase] === 'completed') return await changePayment(tx, context, payment, { set, bookings, now });
  const completed = completion(payment, now);
  return await changePayment(tx, context, payment, {
    to: 'paid',
    set: { ...set, ...completed, next_action: null },
    events: completed.settlement_status === 'settled' ? ['payment.settled'] : [],
    bookings,
    now,
  });
}

/**
 * Asks the purpose of the payment whether received money may count. A refusal ends the payment: the money is then late.
 * Call it with the payment locked, before planning the credit. Returns the payment as it is then.
 */
export async function admitMoney(tx: Tx, context: ChangeContext, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  const mayComplete = payment.status === 'pending' || payment.phase === 'expired';
  const refusal = mayComplete ? await purposeOf(context, payment)?.refuseMoney(tx, payment, now) : null;
  if (!refusal) return payment;
  return await changePayment(tx, context, payment, {
    ...(payment.status === 'pending' && { to: refusedPhase(payment) }),
    set: { failure_code: refusal.code, failure_message: refusal.message, next_action: null },
    now,
  });
}

/** A payment whose money was on its way cannot be canceled; it is declined. */
function refusedPhase({ phase }: PaymentRow): PaymentPhase {
  return paymentMachine.can(phase, 'canceled') ? 'canceled' : 'declined';
}
