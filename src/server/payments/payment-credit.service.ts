import type { PaymentCard, PaymentException, PaymentWallet } from '../../api/payment.ts';
import { newId } from '../../core/id.ts';
import { post } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import type { Tx } from '../platform/db/database.ts';
import { recordEvents } from '../platform/events/outbox.ts';
import { type Merchant, toleranceOf } from '../platform/merchant.ts';
import { type ArrivalRates, atArrivalRate } from './arrival-quote.ts';
import { nextBankAction } from './bank/payment-bank.service.ts';
import { paymentMachine, statusOf } from './payment.ts';
import { transferToWire } from './payment.view.ts';
import { changePayment, type PaymentChange } from './payment-change.ts';
import { completion, planCredit } from './payment-credit.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { type ChangeContext, purposeOf } from './payment-purpose.ts';
import type { PaymentRow } from './tables.ts';
import {
  findProblems,
  findTransfer,
  insertTransfer,
  type NewTransfer,
  offChain,
  storedTransfer,
} from './transfer.store.ts';

/** Money received by card, bank transfer or mobile money. `value` is in minor units of the payment's currency. */
interface Arrival
  extends Pick<NewTransfer, 'rail' | 'rail_reference' | 'amount' | 'currency' | 'reference' | 'sender'> {
  readonly method: 'card' | 'bank_transfer' | 'mobile_money';
  /** The card or the wallet that paid. */
  readonly card?: PaymentCard | null;
  readonly wallet?: PaymentWallet | null;
  /** The merchant captured a part of an authorized card, which completes the payment. */
  readonly isCaptured?: boolean;
  readonly value: bigint;
  /** Rates of the arrival, for money that arrives after the end of the payment's quote. */
  readonly rates: ArrivalRates;
}

type CreditDeps = Pick<PaymentDeps, 'rails' | keyof ChangeContext>;

/** A planned credit: the payment after its purpose's decision, the transfer to insert, and the change with bookings. */
export interface ArrivalPlan {
  readonly payment: PaymentRow;
  readonly transfer: NewTransfer;
  change(): Promise<PaymentChange>;
}

/**
 * Credits received money to a locked payment: transfer, postings, phase and events in one transaction. Money with a
 * known rail reference is not credited again. Money for an ended or fully paid payment, and money that the purpose
 * refuses, waits in suspense for the merchant's decision.
 */
export async function creditPayment(
  tx: Tx,
  deps: CreditDeps,
  merchant: Merchant,
  found: PaymentRow,
  arrival: Arrival,
  now: Date,
): Promise<PaymentRow> {
  const { payment, transfer, change } = await planArrival(tx, deps, merchant, found, arrival, now);
  if (!(await insertTransfer(tx, transfer))) return payment;
  return await changePayment(tx, deps, payment, await change());
}

/** Plans the credit of `creditPayment`. Call `change` when the transfer is known to be new. */
export async function planArrival(
  tx: Tx,
  deps: CreditDeps,
  merchant: Merchant,
  found: PaymentRow,
  arrival: Arrival,
  now: Date,
): Promise<ArrivalPlan> {
  const payment = (await isOwnedRepeat(tx, found, arrival)) ? found : await admitMoney(tx, deps, found, now);
  const { method, card = null, wallet = null, value, isCaptured: _isCaptured, rates, ...seen } = arrival;
  const arrived = { rail: arrival.rail, chain: null, txHash: null, card, at: now };
  const credit = { ...arrival, from: `clearing.${arrival.rail}`, isInTime: false, direct: null, arrived } as const;
  const plan = planCredit(payment, credit, toleranceOf(merchant), now);
  const transfer: NewTransfer = {
    merchant_id: payment.merchant_id,
    id: newId('transfer'),
    livemode: payment.livemode,
    payment_id: payment.id,
    ...seen,
    ...offChain,
    ...plan.counted,
    status: 'matched',
    created_at: now,
  };
  const bookings = [{ kind: kinds[method], postings: plan.postings }];
  return {
    payment,
    transfer,
    change: async () => {
      const instructed = { merchant, payment, rates, arrivedAt: now, now };
      const nextAction = plan.due === null ? null : await nextBankAction(deps, tx, instructed, plan.due);
      const change = plan.change(nextAction);
      const counted = { ...change, set: { ...change.set, ...paidBy(card, wallet) }, bookings };
      if (plan.isDust) return counted;
      // A card is charged when it is asked. Only transfers are on their way for a time.
      const graceSeconds = method === 'card' ? 0 : merchant.quoteGraceSeconds;
      return atArrivalRate(counted, payment, { merchant, rates, arrivedAt: now, now, graceSeconds });
    },
  };
}

/** The kind of booking of each method. */
const kinds = { card: 'capture', bank_transfer: 'bank_credit', mobile_money: 'mobile_money_credit' } as const;

function paidBy(card: PaymentCard | null, wallet: PaymentWallet | null) {
  return { ...(card !== null && { card }), ...(wallet !== null && { mobile_money: wallet }) };
}

/** Whether this money of an owned payment is already booked. The purpose is then not asked again. */
async function isOwnedRepeat(
  tx: Tx,
  payment: PaymentRow,
  { rail, rail_reference: reference }: Arrival,
): Promise<boolean> {
  return payment.owner_id !== null && (await findTransfer(tx, payment.merchant_id, rail, reference)) !== null;
}

/** Accepts waiting money: an incomplete or late payment completes, and the merchant keeps an excess. */
export async function acceptMoney(tx: Tx, context: ChangeContext, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  const postings = move('merchant.suspense', 'merchant.pending', payment.currency, payment.amount_suspense);
  const bookings = [{ kind: 'accepted', postings }];
  const set = { amount_suspense: 0n, settlement_due_at: now, exception: await remainingException(tx, payment) };
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

/** The exception that remains after the merchant's decision: money in a wrong asset needs a separate decision. */
export async function remainingException(tx: Tx, payment: PaymentRow): Promise<PaymentException | null> {
  const { merchant_id: merchantId, id, exception } = payment;
  if (exception === null || exception === 'wrong_asset') return null;
  const problems = await findProblems(tx, merchantId, id);
  return problems.some(({ status, problem }) => status === 'matched' && problem === 'wrong_asset')
    ? 'wrong_asset'
    : null;
}

/**
 * Asks the purpose of a locked payment whether received money may count. A refusal ends the payment, and the money
 * counts as late. Must be called before the credit is planned. Returns the changed payment.
 */
export async function admitMoney(tx: Tx, context: ChangeContext, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  const mayComplete = payment.status === 'pending' || payment.phase === 'expired';
  const refusal = mayComplete ? await purposeOf(context, payment)?.refuseMoney(tx, payment, now) : null;
  if (!refusal) return payment;
  // A payment with money in transit cannot be canceled, so it is declined.
  const to = paymentMachine.can(payment.phase, 'canceled') ? 'canceled' : 'declined';
  return await changePayment(tx, context, payment, {
    ...(payment.status === 'pending' && { to }),
    set: { failure_code: refusal.code, failure_message: refusal.message, next_action: null },
    now,
  });
}

/**
 * Stores money that matches no payment, in suspense until the merchant decides. Money with a known rail reference is
 * not stored again.
 */
export async function keepUnmatched(tx: Tx, row: NewTransfer): Promise<void> {
  if (!(await insertTransfer(tx, row))) return;
  const { merchant_id: merchantId, livemode, id: resourceId, created_at: now } = row;
  // Only money in the service's custody is in the ledger.
  if (row.custodial !== false) {
    const postings = move(`clearing.${row.rail}`, 'merchant.suspense', row.currency, row.amount);
    await post(tx, [{ merchantId, livemode, kind: 'unmatched_credit', postings, now }]);
  }
  const object = transferToWire(storedTransfer(row));
  const type = 'transfer.unmatched';
  await recordEvents(tx, [{ merchantId, livemode, resourceId, type, sequence: 1, object, previous: null, now }]);
}
