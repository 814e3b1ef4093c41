import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, findDue, moveDue } from '../platform/db/lease.ts';
import { type InvoiceKey, lockInvoice } from './invoice.store.ts';
import type { InvoiceRow } from './invoice.view.ts';
import type { InvoiceTransactionsTable } from './tables.ts';

/** An invoice whose day has passed, and the present moment of its merchant. */
export interface DueInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly clock: Date;
}

const overdueInvoices: DueWork = {
  ...{ table: 'invoices', key: ['merchant_id', 'id'], dueAt: 'overdue_at', clock: 'merchant' },
  where: sql`t.overdue_at is not null`,
};

/** Finds invoices of which something was due before today, by their merchant's clock. */
export async function findOverdue(db: Db, now: Date, limit: number): Promise<readonly DueInvoice[]> {
  return await findDue(db, overdueInvoices, { now, limit }, sql`t.merchant_id as "merchantId", t.id as "invoiceId"`);
}

/** Money on a chain whose worth is not known yet. */
export type UnvaluedMoney = Pick<
  Selectable<InvoiceTransactionsTable>,
  'merchant_id' | 'id' | 'invoice_id' | 'livemode' | 'currency' | 'payment_id'
> & { readonly clock: Date };

const unvaluedMoney: DueWork = {
  ...{ table: 'invoice_transactions', key: ['merchant_id', 'id'], dueAt: 'exchange_due_at', clock: 'merchant' },
  where: sql`t.exchange_due_at is not null`,
};

/** Claims money whose worth is to be found out; where that fails, it is tried again after a minute. */
export async function claimUnvalued(db: Db, now: Date, limit: number): Promise<readonly UnvaluedMoney[]> {
  return await claimDue<UnvaluedMoney>(db, unvaluedMoney, { now, limit, leaseSeconds: 60 });
}

/** Writes what was found out. False when another worker was first. */
export async function writeDifference(
  tx: Tx,
  { merchant_id, id }: UnvaluedMoney,
  difference: bigint,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invoice_transactions')
    .set({ exchange_difference: difference, exchange_due_at: null })
    .where('merchant_id', '=', merchant_id)
    .where('id', '=', id)
    .where('exchange_difference', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

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
 * Schedules a paid or void invoice for closing again, since one of its payments reached a final phase. Call it with
 * that payment locked: it then waits for a concurrent change of the invoice.
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
