import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { readPayment } from '../checkout/payment-lifecycle.service.ts';
import { lockPayment, type PaymentKey } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import { changePayment } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { keptOf, takenPostings, takeOwned } from '../payment-funds.ts';
import { disputedAmount, findLastAttempt, insertDispute } from './card.store.ts';

/** A dispute that the rail reports. A repeated report is the same dispute. `amount` is in minor units. */
interface DisputeReport {
  readonly id: string;
  readonly railReference: string;
  readonly rail: string;
  readonly amount: bigint;
  readonly reason: string;
}

/**
 * Books a dispute on a completed payment: the amount is taken from the merchant. Throws `illegal_state` when the payment
 * was never completed, or the merchant keeps less of it.
 */
export async function openDispute(
  deps: PaymentDeps,
  tx: Tx,
  key: PaymentKey,
  report: DisputeReport,
  now: Date,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, key);
  const disputed = await disputedAmount(tx, key.merchantId, key.paymentId);
  const { id, amount, reason, railReference: rail_reference } = report;
  const isNew = await insertDispute(tx, {
    ...{ merchant_id: key.merchantId, payment_id: key.paymentId, currency: payment.currency, created_at: now },
    ...{ id, amount, reason, rail_reference },
  });
  if (!isNew) return payment;
  if (payment.status !== 'completed' || amount > keptOf(payment) - disputed) {
    throw new PayError('illegal_state', 'Only what was paid by card, and was not given back, can be disputed.');
  }
  const taken = takeOwned(payment, disputed, amount);
  return await changePayment(tx, deps, payment, {
    set: { disputed: true, amount_receivable: payment.amount_receivable + taken.receivable },
    events: ['payment.disputed'],
    bookings: [{ kind: 'dispute', postings: takenPostings(taken, `clearing.${report.rail}`, payment.currency) }],
    now,
  });
}

/** The acquirer's reference of the charge that paid the payment. Throws `illegal_state` when no card paid it. */
export async function findCharge(deps: PaymentDeps, caller: Caller, paymentId: string): Promise<string> {
  const payment = await readPayment(deps, caller, paymentId);
  const attempt = await findLastAttempt(deps.db, caller.merchant.id, payment.id);
  if (attempt?.state === 'captured' && attempt.rail_reference !== null) return attempt.rail_reference;
  throw new PayError('illegal_state', 'Only a payment that was paid by card can be disputed.', { param: 'payment' });
}
