import { closePayments } from '../payments/checkout/payment-lifecycle.service.ts';
import { runEach } from '../platform/jobs/run-each.ts';
import { findInvoice } from './invoice.store.ts';
import { invoiceOwner } from './invoice.ts';
import { type ClosingInvoice, claimClosingInvoices, endClosing } from './invoice-closing.store.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { refusalOf } from './invoice-refusal.ts';

const batch = 50;

/** Ends the open payments of invoices of which nothing more is to be paid. Returns how many invoices were looked at. */
export async function closeInvoices(deps: InvoiceDeps): Promise<number> {
  const due = await claimClosingInvoices(deps.db, deps.clock.now(), batch);
  return await runEach(due, each => closeInvoice(deps, each));
}

/**
 * Ends the payments of an invoice that were only looked at, so that nobody pays it twice. Whose attempt is under way, and
 * who was told where to send money to, may have paid already: those stay. What comes of them becomes credit where the
 * invoice was paid; where it is void it is refused, and waits in suspense for the merchant, who sends it back or keeps it
 * as credit.
 */
async function closeInvoice(deps: InvoiceDeps, due: ClosingInvoice): Promise<void> {
  const key = { merchantId: due.merchant_id, invoiceId: due.id };
  const invoice = await findInvoice(deps.db, key);
  const refusal = invoice && refusalOf(invoice);
  if (refusal === null) return;
  const merchant = await deps.findMerchant(due.merchant_id);
  const phases = ['awaiting_payer'] as const;
  await closePayments(deps, { merchant, now: due.clock }, invoiceOwner(due.id), { phases, reason: refusal });
  await endClosing(deps.db, due);
}
