import type { PayInvoice, RecordPayment } from '../../../api/invoice/invoice-money.ts';
import { PayError } from '../../../core/error.ts';
import { unpaidOf } from '../../../core/invoice/invoice-installments.ts';
import { post } from '../../ledger/ledger.store.ts';
import { type DraftPayment, draftPayment, type PaymentOrder } from '../../payments/checkout/payment-create.service.ts';
import { canCancel } from '../../payments/payment-funds.ts';
import { cancelPayment } from '../../payments/payment-lifecycle.service.ts';
import { findOpenPayments } from '../../payments/payment-owner.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { type Actor, changeInvoice, illegalInvoiceStep, lockInvoice, readInvoice } from '../invoice.store.ts';
import { installmentsOf, invoiceMachine, invoiceOwner, isPayable, nextDue, remainingOf } from '../invoice.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { addresseeOf, queueVoidMail } from '../notifications/invoice-notifications.ts';
import { assertPrintableTexts } from '../printable-texts.ts';
import { creditedSums } from './credit-note.store.ts';
import { applyMoney } from './invoice-money.service.ts';
import { voidPosting, writeOffPosting } from './invoice-posting.ts';

/**
 * Drafts a payment of an invoice without writing the payment. Without an amount, it pays the next due part. Throws
 * `illegal_state`, `amount_out_of_range` above the remaining amount, or a PayError that names the wrong field.
 */
export async function draftInvoicePayment(
  deps: InvoiceDeps,
  caller: Caller,
  invoice: InvoiceRow,
  body: PayInvoice,
): Promise<DraftPayment> {
  if (!isPayable(invoice.status)) throw illegalInvoiceStep(invoice.status, 'paid');
  const remaining = remainingOf(invoice);
  const amount = body.amount === undefined ? (nextDue(invoice)?.amount ?? remaining) : BigInt(body.amount);
  if (amount > remaining) {
    const message = `The remaining balance of this invoice is ${remaining}, which is less than ${amount}.`;
    throw new PayError('amount_out_of_range', message, { param: 'amount' });
  }
  const payment: PaymentOrder = {
    amount: Number(amount),
    currency: invoice.currency,
    customer: payerOf(invoice, body),
    settlement_asset: invoice.settlement_asset,
    settlement_network: 'stellar',
    locale: invoice.locale,
    payment_methods: methodsOf(invoice, body),
    ...(invoice.number !== null && { reference: invoice.number, description: invoice.number }),
    ...(body.redirect_url !== undefined && { redirect_url: body.redirect_url }),
  };
  return await draftPayment(deps, caller, payment, invoiceOwner(invoice.id));
}

function payerOf(invoice: InvoiceRow, { customer: given }: PayInvoice): PaymentOrder['customer'] {
  const email = given?.email ?? addresseeOf(invoice);
  if (email === null) {
    const message = 'This invoice has no e-mail address for its customer. Give customer.email.';
    throw new PayError('parameter_missing', message, { param: 'customer.email' });
  }
  const name = given?.name ?? invoice.customer.name;
  return { email, ...(name === null ? {} : { name }) };
}

function methodsOf(invoice: InvoiceRow, { payment_methods: chosen }: PayInvoice): PaymentOrder['payment_methods'] {
  const refused = chosen?.find(method => !invoice.payment_methods.includes(method));
  if (refused === undefined) return [...(chosen ?? invoice.payment_methods)];
  throw new PayError('payment_method_not_allowed', `This invoice cannot be paid by ${refused}.`, {
    param: 'payment_methods',
  });
}

/**
 * Whether customers may pay this amount. Without `allow_partial`, they must pay the whole amount or the first unpaid
 * instalments.
 */
export function isAllowedPart(invoice: InvoiceRow, amount: bigint): boolean {
  if (invoice.allow_partial || amount >= remainingOf(invoice)) return true;
  let sum = 0n;
  for (const part of installmentsOf(invoice, null)) {
    sum += unpaidOf(part);
    if (sum === amount) return true;
  }
  return false;
}

/** Rejects an amount that the merchant does not allow. Throws `amount_not_allowed`. */
export function assertPartAllowed(invoice: InvoiceRow, amount: bigint): void {
  if (isAllowedPart(invoice, amount)) return;
  const message = 'This invoice must be paid in full, or by its installments.';
  throw new PayError('amount_not_allowed', message, { param: 'amount' });
}

/**
 * Cancels the payments that no payer has begun, and returns the function that voids the invoice. Throws
 * `payment_in_flight` while a payer's money may arrive, and `illegal_state` after a part was paid or credited. If money
 * for a canceled payment still arrives, it waits in suspense for the merchant's decision.
 */
export async function prepareVoid(
  deps: InvoiceDeps,
  caller: Caller,
  invoiceId: string,
): Promise<(tx: Tx) => Promise<InvoiceRow>> {
  const invoice = await readInvoice(deps.db, caller, invoiceId);
  assertVoidable(invoice);
  const owner = { ...invoiceOwner(invoice.id), merchantId: invoice.merchant_id };
  const payments = await findOpenPayments(deps.db, owner);
  if (payments.some(payment => !canCancel(payment, caller.merchant))) throw inFlight();
  for (const payment of payments) {
    const cancel = await cancelPayment(deps, caller, payment.id);
    await deps.db.transaction().execute(async tx => void (await cancel(tx)));
  }
  return async tx => {
    const { merchant, livemode, now } = caller;
    const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
    assertVoidable(row);
    // A payment created after these cancellations is closed with the invoice. If its money may arrive, voiding fails.
    if ((await findOpenPayments(tx, owner)).some(payment => !canCancel(payment, merchant))) throw inFlight();
    const set = { voided_at: now, overdue_at: null, closing_at: now };
    const ended = await changeInvoice(tx, deps, row, { to: 'void', set, now });
    await post(tx, [voidPosting(row, remainingOf(row), await creditedSums(tx, row), now)]);
    await queueVoidMail(tx, deps, ended, { merchant, now });
    return ended;
  };
}

function assertVoidable(row: InvoiceRow): void {
  if (row.status === 'draft') throw illegalInvoiceStep(row.status, 'voided. Delete it');
  if (!invoiceMachine.can(row.status, 'void')) throw illegalInvoiceStep(row.status, 'voided');
  if (row.amount_paid === 0n && row.amount_credited === 0n) return;
  throw new PayError('illegal_state', 'A part of the invoice was already paid or credited. Credit the rest instead.');
}

function inFlight(): PayError {
  return new PayError('payment_in_flight', 'Money for this invoice is on its way. It cannot be voided now.');
}

/** Marks the invoice as uncollectible. Later money still pays it. */
export async function markUncollectible(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Actor,
  invoiceId: string,
): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (!invoiceMachine.can(row.status, 'uncollectible')) throw illegalInvoiceStep(row.status, 'given up');
  await post(tx, [writeOffPosting(row, remainingOf(row), now)]);
  return await changeInvoice(tx, deps, row, { to: 'uncollectible', set: { overdue_at: null }, now });
}

/**
 * Records money received outside of the service, for example cash. Without an amount, it pays the whole remaining
 * amount. An excess becomes customer credit. Throws `illegal_state`.
 */
export async function recordPayment(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Actor,
  invoiceId: string,
  body: RecordPayment,
): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (!isPayable(row.status) && row.status !== 'uncollectible') throw illegalInvoiceStep(row.status, 'paid');
  assertPrintableTexts(row.locale, { reference: body.reference });
  const paidAt = body.paid_at === undefined ? now : new Date(body.paid_at);
  if (Number.isNaN(paidAt.getTime()) || paidAt > now) {
    throw new PayError('parameter_invalid', 'paid_at must not be in the future.', { param: 'paid_at' });
  }
  const amount = body.amount === undefined ? remainingOf(row) : BigInt(body.amount);
  return await applyMoney(tx, deps, row, {
    type: 'recorded_payment',
    amount,
    method: body.method ?? 'other',
    reference: body.reference ?? null,
    paidAt,
    now,
    receiptFrom: merchant,
  });
}
