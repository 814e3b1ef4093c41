import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../platform/db/lease.ts';
import { type InvoiceKey, lockInvoice } from './invoice.store.ts';
import type { InvoiceRow } from './invoice.view.ts';

/** Invoices whose open payments are to be ended. */
const closingInvoices: DueWork = {
  ...{ table: 'invoices', key: ['merchant_id', 'id'], dueAt: 'closing_at', clock: 'merchant' },
  where: sql`t.closing_at is not null`,
};
const leaseSeconds = 30;

/** An invoice that is being closed, and the present moment of its merchant. */
export type ClosingInvoice = Pick<InvoiceRow, 'merchant_id' | 'id' | 'closing_at'> & { readonly clock: Date };

/** Claims invoices whose open payments are to be ended. */
export async function claimClosingInvoices(db: Db, now: Date, limit: number): Promise<readonly ClosingInvoice[]> {
  return await claimDue<ClosingInvoice>(db, closingInvoices, { now, limit, leaseSeconds });
}

/**
 * Has an invoice of which nothing more is to be paid looked through again: a payment of it came to rest just now. Call it
 * with that payment locked: it waits for whoever pays or ends the invoice at this moment, and would not see it otherwise.
 */
export async function closeAgain(tx: Tx, { merchantId, invoiceId }: InvoiceKey, now: Date): Promise<void> {
  const { status } = await lockInvoice(tx, { merchantId, invoiceId });
  if (status !== 'paid' && status !== 'void') return;
  await tx
    .updateTable('invoices')
    .set({ closing_at: now })
    .where('merchant_id', '=', merchantId)
    .where('id', '=', invoiceId)
    .execute();
}

/** Ends a claim: the invoice is closed, unless it is to be looked through again since. */
export async function endClosing(db: Db, claimed: ClosingInvoice): Promise<void> {
  await moveDue(db, closingInvoices, claimed, { to: null });
}
