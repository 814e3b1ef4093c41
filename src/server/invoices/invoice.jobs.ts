import { closePayments } from '../payments/payment-lifecycle.service.ts';
import { runEach, type Sweep } from '../platform/jobs/sweeper.ts';
import { findInvoice, findOverdue, invoiceClosing, lockInvoice, overdueInvoices } from './invoice.store.ts';
import { invoiceOwner, refusalOf } from './invoice.ts';
import type { InvoiceDeps, InvoiceRow } from './invoice.view.ts';
import { applySums } from './money/invoice-money.service.ts';
import { unvaluedMoney } from './money/invoice-transaction.store.ts';
import { valueCrypto } from './money/receipt-exchange-rate.service.ts';

const batch = 100;
const closingBatch = 50;

/** The sweeps of invoices: mark overdue, close payments of paid and void ones, book exchange differences of crypto. */
export function invoiceSweeps(deps: InvoiceDeps): Sweep[] {
  return [
    { name: 'invoices.overdue', due: [overdueInvoices], run: () => markOverdue(deps) },
    { name: 'invoices.close', due: [invoiceClosing.due], run: () => closeInvoices(deps) },
    { name: 'invoices.exchange', due: [unvaluedMoney], run: () => valueCrypto(deps) },
  ];
}

/** Marks invoices overdue on the day after the due date, in the seller's time zone. Returns their number. */
async function markOverdue(deps: InvoiceDeps): Promise<number> {
  const due = await findOverdue(deps.db, deps.clock.now(), batch);
  return await runEach(due, async ({ clock: now, ...key }) => {
    await deps.db.transaction().execute(async tx => {
      const row = await lockInvoice(tx, key);
      if (row.overdue_at === null || row.overdue_at > now) return;
      await applySums(tx, deps, row, { sums: {}, events: [], now });
    });
  });
}

async function closeInvoices(deps: InvoiceDeps): Promise<number> {
  const due = await invoiceClosing.claim(deps.db, deps.clock.now(), closingBatch);
  return await runEach(due, each => closeInvoice(deps, each));
}

/**
 * Ends those payments of a paid or void invoice that no payer has begun, so that the invoice is not paid twice. Begun
 * payments stay open, because the payer may have sent money. Such money becomes credit; on a void invoice it waits in
 * suspense.
 */
async function closeInvoice(deps: InvoiceDeps, due: InvoiceRow & { readonly clock: Date }): Promise<void> {
  const { merchant_id: merchantId, id: invoiceId, clock: now } = due;
  const invoice = await findInvoice(deps.db, { merchantId, invoiceId });
  const reason = invoice && refusalOf(invoice);
  if (reason === null) return;
  const merchant = await deps.findMerchant(merchantId);
  await closePayments(deps, { merchant, now }, invoiceOwner(invoiceId), { phases: ['awaiting_payer'], reason });
  await invoiceClosing.end(deps.db, due);
}
