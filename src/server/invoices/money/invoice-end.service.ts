import type { RecordPayment } from '../../../api/invoice/invoice-money.ts';
import { PayError } from '../../../core/error.ts';
import { cancelPayment } from '../../payments/checkout/payment-lifecycle.service.ts';
import { paymentMachine } from '../../payments/payment.ts';
import type { PaymentRow } from '../../payments/payment.view.ts';
import { findOpenPayments } from '../../payments/payment-owner.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { readInvoice } from '../billing/invoice-read.service.ts';
import { changeInvoice, illegalInvoiceStep, lockInvoice } from '../invoice.store.ts';
import { invoiceMachine, invoiceOwner, isPayable, remainingOf } from '../invoice.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { queueVoidMail } from '../notifications/end-notifications.ts';
import { applyMoney } from './invoice-money.service.ts';

/**
 * Cancels the payments that no payer has begun, and returns the function that voids the invoice. Throws
 * `payment_in_flight` while money for it is on its way, and `illegal_state` once a part was paid: that is credited
 * instead. Money that comes later for a payment called off is late, and waits for the merchant; it is never lost.
 */
export async function prepareVoid(
  deps: InvoiceDeps,
  caller: Caller,
  invoiceId: string,
): Promise<(tx: Tx) => Promise<InvoiceRow>> {
  const invoice = await readInvoice(deps, caller, invoiceId);
  assertVoidable(invoice);
  const owner = { ...invoiceOwner(invoice.id), merchantId: invoice.merchant_id };
  const payments = await findOpenPayments(deps.db, owner);
  if (payments.some(isInFlight)) throw inFlight();
  for (const payment of payments) {
    const cancel = await cancelPayment(deps, caller, payment.id);
    await deps.db.transaction().execute(async tx => void (await cancel(tx)));
  }
  return async tx => {
    const { merchant, livemode, now } = caller;
    const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
    assertVoidable(row);
    // A payment that was begun since is closed with the invoice, unless its money is on its way.
    if ((await findOpenPayments(tx, owner)).some(isInFlight)) throw inFlight();
    const set = { voided_at: now, overdue_at: null, closing_at: now };
    const ended = await changeInvoice(tx, deps, row, { to: 'void', set, now });
    await queueVoidMail(tx, ended, { merchant, now });
    return ended;
  };
}

function assertVoidable(row: InvoiceRow): void {
  if (row.status === 'draft') throw illegalInvoiceStep(row.status, 'voided. Delete it');
  if (!invoiceMachine.can(row.status, 'void')) throw illegalInvoiceStep(row.status, 'voided');
  if (row.amount_paid === 0n && row.amount_credited === 0n) return;
  throw new PayError('illegal_state', 'A part of the invoice was paid or credited. Credit the rest instead.');
}

/** Whether a payer's money is on its way, or has arrived in part. */
function isInFlight({ phase, amount_received: received }: PaymentRow): boolean {
  return received > 0n || !paymentMachine.can(phase, 'canceled');
}

function inFlight(): PayError {
  const message = 'Money for this invoice is on its way. It cannot be voided now.';
  return new PayError('payment_in_flight', message);
}

/** The merchant gives the invoice up. Money that comes all the same still pays it. */
export async function markUncollectible(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Caller,
  invoiceId: string,
): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (!invoiceMachine.can(row.status, 'uncollectible')) throw illegalInvoiceStep(row.status, 'given up');
  return await changeInvoice(tx, deps, row, { to: 'uncollectible', set: { overdue_at: null }, now });
}

/**
 * Takes note of money that came elsewhere, cash or to the merchant's own bank account. Without an amount: all that is left;
 * more than is left becomes the customer's credit. Throws `illegal_state` when nothing is to be paid.
 */
export async function recordPayment(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Caller,
  invoiceId: string,
  body: RecordPayment,
): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (!isPayable(row.status) && row.status !== 'uncollectible') throw illegalInvoiceStep(row.status, 'paid');
  const paidAt = body.paid_at === undefined ? now : new Date(body.paid_at);
  if (Number.isNaN(paidAt.getTime()) || paidAt > now) {
    throw new PayError('parameter_invalid', 'paid_at takes a time that is not ahead.', { param: 'paid_at' });
  }
  const amount = body.amount === undefined ? remainingOf(row) : BigInt(body.amount);
  return await applyMoney(tx, deps, row, {
    ...{ type: 'recorded_payment', amount, method: body.method ?? 'other', reference: body.reference ?? null },
    ...{ paidAt, now, receiptFrom: merchant },
  });
}
