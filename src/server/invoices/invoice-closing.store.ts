import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { dueRows } from '../platform/db/due.ts';
import { type InvoiceKey, lockInvoice } from './invoice.store.ts';
import type { DueInvoice } from './invoice-due.store.ts';

/** How long an invoice that is being closed is left to whoever took it. */
const leaseSeconds = 30;

/** Takes invoices whose open payments are to be ended. */
export async function claimClosingInvoices(db: Db, now: Date, limit: number): Promise<DueInvoice[]> {
  const due = dueRows({
    ...{ table: 'invoices', dueAt: 'closing_at', columns: ['merchant_id', 'id'], now, limit },
    where: sql`t.closing_at is not null`,
  });
  const { rows } = await sql<DueInvoice>`
    with ${due}
    update invoices i set closing_at = due.clock + ${leaseSeconds} * interval '1 second'
    from due where i.merchant_id = due.merchant_id and i.id = due.id
    returning i.merchant_id as "merchantId", i.id as "invoiceId", due.clock`.execute(db);
  return rows;
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

/** The invoice is closed. One that was claimed anew, or asked to be looked through again meanwhile, is left as it is. */
export async function endClosing(db: Db, { merchantId, invoiceId, clock }: DueInvoice): Promise<void> {
  await db
    .updateTable('invoices')
    .set({ closing_at: null })
    .where('merchant_id', '=', merchantId)
    .where('id', '=', invoiceId)
    .where('closing_at', '=', sql<Date>`${clock}::timestamptz + ${leaseSeconds} * interval '1 second'`)
    .execute();
}
