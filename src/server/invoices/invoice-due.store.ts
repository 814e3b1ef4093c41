import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, findDue } from '../platform/db/lease.ts';
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
