import { closePayments } from '../payments/checkout/payment-lifecycle.service.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { runEach } from '../platform/jobs/sweeper.ts';
import { findInvoice, lockInvoice } from './invoice.store.ts';
import { invoiceOwner } from './invoice.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { type ClosingInvoice, claimClosingInvoices, endClosing, findOverdue } from './invoice-due.store.ts';
import { settle } from './money/invoice-money.service.ts';
import { valueCrypto } from './money/receipt-exchange-rate.service.ts';
import { refusalOf } from './pages/invoice-pay.service.ts';

const batch = 100;
const closingBatch = 50;

/** Sweeps of invoices: mark overdue, close the payments of paid ones, and book exchange differences of crypto. */
export function invoiceSweeps(deps: InvoiceDeps): Sweep[] {
  return [
    { name: 'invoices.overdue', everyMs: 5_000, run: () => markOverdue(deps) },
    { name: 'invoices.close', everyMs: 1_000, run: () => closeInvoices(deps) },
    { name: 'invoices.exchange', everyMs: 2_000, run: () => valueCrypto(deps) },
  ];
}

/** Each on the day after what is due, in the time zone it was sent in. Returns how many. */
async function markOverdue(deps: InvoiceDeps): Promise<number> {
  const due = await findOverdue(deps.db, deps.clock.now(), batch);
  return await runEach(due, async ({ clock: now, ...key }) => {
    await deps.db.transaction().execute(async tx => {
      const row = await lockInvoice(tx, key);
      if (row.overdue_at === null || row.overdue_at > now) return;
      await settle(tx, deps, row, { paid: {}, events: [], now });
    });
  });
}

/** Ends the open payments of invoices of which nothing more is to be paid. Returns how many invoices were looked at. */
async function closeInvoices(deps: InvoiceDeps): Promise<number> {
  const due = await claimClosingInvoices(deps.db, deps.clock.now(), closingBatch);
  return await runEach(due, each => closeInvoice(deps, each));
}

/**
 * Ends the invoice's payments that no payer has begun, so that it is not paid twice. Whose attempt is under way, and
 * who was told where to send money to, may have paid already: those stay. Money of the others becomes credit when the
 * invoice was paid. When it is void the money is refused and waits in suspense for the merchant.
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
