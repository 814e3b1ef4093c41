import type { Tx } from '../platform/db/database.ts';
import type { InvoiceRow } from './invoice.view.ts';

/** Keeps that somebody has looked at the invoice. False when they had before. */
export async function insertView(tx: Tx, invoice: InvoiceRow, viewer: Buffer, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('invoice_views')
    .values({ merchant_id: invoice.merchant_id, invoice_id: invoice.id, viewer, viewed_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
