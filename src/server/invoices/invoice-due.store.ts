import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { dueRows } from '../platform/db/due.ts';
import type { InvoiceTransactionsTable } from './tables.ts';

/** An invoice whose day has passed, and the present moment of its merchant. */
export interface DueInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly clock: Date;
}

/** Invoices of which something was due before today, on their merchant's clock. */
export async function findOverdue(db: Db, now: Date, limit: number): Promise<DueInvoice[]> {
  const due = dueRows({
    ...{ table: 'invoices', dueAt: 'overdue_at', columns: ['merchant_id', 'id'], now, limit },
    where: sql`t.overdue_at is not null`,
  });
  const { rows } = await sql<DueInvoice>`
    with ${due} select merchant_id as "merchantId", id as "invoiceId", clock from due`.execute(db);
  return rows;
}

/** Money on a chain whose worth is not known yet. */
export type UnvaluedMoney = Pick<
  Selectable<InvoiceTransactionsTable>,
  'merchant_id' | 'id' | 'invoice_id' | 'livemode' | 'currency' | 'payment_id'
> & { readonly clock: Date };

/** Claims money whose worth is to be found out; whoever gets nowhere leaves it for a minute. */
export async function claimUnvalued(db: Db, now: Date, limit: number): Promise<UnvaluedMoney[]> {
  const due = dueRows({
    ...{ table: 'invoice_transactions', dueAt: 'exchange_due_at', columns: ['merchant_id', 'id'], now, limit },
    where: sql`t.exchange_due_at is not null`,
  });
  const { rows } = await sql<UnvaluedMoney>`
    with ${due} update invoice_transactions t set exchange_due_at = due.clock + interval '1 minute'
    from due where t.merchant_id = due.merchant_id and t.id = due.id
    returning t.merchant_id, t.id, t.invoice_id, t.livemode, t.currency, t.payment_id, due.clock`.execute(db);
  return rows;
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
