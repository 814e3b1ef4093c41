import { runEach } from '../platform/jobs/run-each.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { lockInvoice } from './invoice.store.ts';
import { closeInvoices } from './invoice-closing.service.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { findOverdue } from './invoice-due.store.ts';
import { valueCrypto } from './invoice-exchange.service.ts';
import { settle } from './invoice-money.service.ts';

const batch = 100;

/** What time does to invoices: they become overdue, those that are paid are closed, and what crypto was worth is booked. */
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
