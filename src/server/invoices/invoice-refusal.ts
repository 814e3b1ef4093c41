import { PayError } from '../../core/error.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { type MoneyRefusal, ownerIdOf } from '../payments/payment-purpose.ts';
import type { Tx } from '../platform/db/database.ts';
import { lockInvoice } from './invoice.store.ts';
import type { InvoiceRow } from './invoice.view.ts';

/** Why an invoice asks nobody for money any more, as its payers are told; null for one that does. */
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

/** The invoice is locked, so that nobody begins to pay it while it is voided or paid. Throws `illegal_state`. */
export async function assertAsksForMoney(tx: Tx, payment: PaymentRow): Promise<void> {
  const key = { merchantId: payment.merchant_id, invoiceId: ownerIdOf(payment) };
  const refusal = refusalOf(await lockInvoice(tx, key));
  if (refusal !== null) throw new PayError('illegal_state', refusal.message);
}
