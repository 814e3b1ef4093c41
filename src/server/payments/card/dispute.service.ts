import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { readPayment } from '../checkout/payment-lifecycle.service.ts';
import { lockPayment, type PaymentKey } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import { changePayment } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { keptOf, takenPostings } from '../payment-funds.ts';
import { takeFromMerchant } from '../payment-take.service.ts';
import { disputedAmount, findLastAttempt, insertDispute } from './card.store.ts';

/** A dispute reported by the rail. `amount` is in minor units. `railReference` identifies the dispute. */
interface DisputeReport {
  readonly id: string;
  readonly railReference: string;
  readonly rail: string;
  readonly amount: bigint;
  readonly reason: string;
}

/**
 * Books a dispute of a completed payment, which takes the amount from the merchant. Throws `illegal_state` for an
 * incomplete payment, or if the merchant keeps less than the amount.
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
    throw new PayError('illegal_state', 'Only an amount that was paid by card and not refunded can be disputed.');
  }
  const taken = await takeFromMerchant(tx, { payment, disputed, amount, now });
  return await changePayment(tx, deps, payment, {
    set: {
      disputed: true,
      amount_available: payment.amount_available - taken.available,
      amount_receivable: payment.amount_receivable + taken.receivable,
    },
    events: ['payment.disputed'],
    bookings: [{ kind: 'dispute', postings: takenPostings(taken, `clearing.${report.rail}`, payment.currency) }],
    now,
  });
}

/** The acquirer's reference of the charge that paid the payment. Throws `illegal_state` if no card paid it. */
export async function findCharge(deps: PaymentDeps, caller: Caller, paymentId: string): Promise<string> {
  const payment = await readPayment(deps, caller, paymentId);
  const attempt = await findLastAttempt(deps.db, caller.merchant.id, payment.id);
  if (attempt?.state === 'captured' && attempt.rail_reference !== null) return attempt.rail_reference;
  throw new PayError('illegal_state', 'Only a payment that was paid by card can be disputed.', { param: 'payment' });
}
