import type { PaymentPhase } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { MoneyRefusal } from '../payments/payment-purpose.ts';
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

/**
 * Whether the change of a payment asks its payer for money that was not on its way before: an attempt begins, another
 * price or another account is told. What goes on with an attempt, and what comes of money, does not.
 */
export function asksForMoney(before: PaymentRow, after: PaymentRow): boolean {
  if (after.status !== 'pending') return false;
  if (before.quote_id !== after.quote_id) return true;
  if (before.phase !== after.phase) return begins(before.phase, after.phase);
  return before.amount_received === after.amount_received && wayOf(before) !== wayOf(after);
}

function begins(from: PaymentPhase, to: PaymentPhase): boolean {
  if (to === 'awaiting_funds') return from !== 'confirming';
  // A transaction that the payer's wallet signed, and that has not been handed in yet.
  if (to === 'confirming') return true;
  const isAttempt = to === 'processing' || to === 'requires_action';
  return isAttempt && from !== 'processing' && from !== 'requires_action';
}

/** By which way, and to where, the payer was told to pay. */
function wayOf({ next_action: action }: PaymentRow): string {
  if (action?.type === 'bank_instructions') return JSON.stringify([action.rail, action.reference]);
  if (action?.type === 'crypto_transfer') return JSON.stringify([action.chain, action.asset, action.address]);
  return '';
}

/** The invoice is locked, so that nobody begins to pay it while it is voided or paid. Throws `illegal_state`. */
export async function assertAsksForMoney(tx: Tx, { merchant_id: merchantId, invoice }: PaymentRow): Promise<void> {
  const refusal = refusalOf(await lockInvoice(tx, { merchantId, invoiceId: invoice ?? '' }));
  if (refusal !== null) throw new PayError('illegal_state', refusal.message);
}
