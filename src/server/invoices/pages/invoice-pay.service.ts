import type { PayInvoice } from '../../../api/invoice/invoice-money.ts';
import type { CreatePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { leftOf } from '../../../core/invoice/invoice-installments.ts';
import { type DraftPayment, draftPayment } from '../../payments/checkout/payment-create.service.ts';
import type { PaymentRow } from '../../payments/payment.view.ts';
import { type MoneyRefusal, ownerIdOf } from '../../payments/payment-purpose.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { illegalInvoiceStep, lockInvoice } from '../invoice.store.ts';
import { installmentsOf, invoiceOwner, isPayable, nextDue, remainingOf } from '../invoice.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';

/**
 * The payment of all or a part of an invoice, drafted; nothing is written yet. Without an amount: what is due next. Throws
 * `illegal_state` when nothing is to be paid, `amount_out_of_range` for more than is left, and what is wrong with the rest.
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
    const message = `${remaining} is left to pay on this invoice, which is less than ${amount}.`;
    throw new PayError('amount_out_of_range', message, { param: 'amount' });
  }
  const payment: CreatePayment = {
    ...{ amount: Number(amount), currency: invoice.currency, customer: payerOf(invoice, body) },
    ...{ settlement_asset: invoice.settlement_asset, settlement_network: 'stellar', locale: invoice.locale },
    payment_methods: methodsOf(invoice, body),
    ...(invoice.number !== null && { reference: invoice.number, description: invoice.number }),
    ...(body.redirect_url !== undefined && { redirect_url: body.redirect_url }),
  };
  return await draftPayment(deps, caller, payment, invoiceOwner(invoice.id));
}

function payerOf({ customer }: InvoiceRow, { customer: given }: PayInvoice): CreatePayment['customer'] {
  const email = given?.email ?? customer.email;
  if (email === null) {
    const message = 'This invoice has no e-mail address of its customer: give customer.email.';
    throw new PayError('parameter_missing', message, { param: 'customer.email' });
  }
  const name = given?.name ?? customer.name;
  return { email, ...(name === null ? {} : { name }) };
}

function methodsOf(invoice: InvoiceRow, { payment_methods: chosen }: PayInvoice): CreatePayment['payment_methods'] {
  const refused = chosen?.find(method => !invoice.payment_methods.includes(method));
  if (refused === undefined) return [...(chosen ?? invoice.payment_methods)];
  throw new PayError('payment_method_not_allowed', `This invoice is not paid by ${refused}.`, {
    param: 'payment_methods',
  });
}

/**
 * Holds what the customer chose to pay to what the merchant allows: any part, or all, or as many whole instalments as the
 * customer likes. Throws `amount_not_allowed`.
 */
export function assertPartAllowed(invoice: InvoiceRow, amount: bigint): void {
  if (invoice.allow_partial || amount >= remainingOf(invoice)) return;
  let sum = 0n;
  for (const part of installmentsOf(invoice, null)) {
    sum += leftOf(part);
    if (sum === amount) return;
  }
  const message = 'This invoice is paid in whole, or by its instalments.';
  throw new PayError('amount_not_allowed', message, { param: 'amount' });
}

/** Why an invoice takes no payment any more, for its payers; null while it takes payments. */
export function refusalOf({ status }: Pick<InvoiceRow, 'status'>): MoneyRefusal | null {
  if (status === 'void') return { code: 'invoice_void', message: 'The invoice was canceled. There is nothing to pay.' };
  if (status === 'paid')
    return { code: 'invoice_paid', message: 'The invoice has been paid. There is nothing to pay.' };
  return null;
}

/** The error for the payer of a payment that its invoice has ended; null when it ended otherwise. */
export function endedError({ failure_code: code, failure_message: message }: PaymentRow): PayError | null {
  return code?.startsWith('invoice_') && message !== null ? new PayError('illegal_state', message) : null;
}

/**
 * Refuses a payer of an invoice that is paid or void. The invoice is locked, so that it cannot be paid or voided at the
 * same moment. Throws `illegal_state`.
 */
export async function assertAsksForMoney(tx: Tx, payment: PaymentRow): Promise<void> {
  const key = { merchantId: payment.merchant_id, invoiceId: ownerIdOf(payment) };
  const refusal = refusalOf(await lockInvoice(tx, key));
  if (refusal !== null) throw new PayError('illegal_state', refusal.message);
}
