import type { Selectable } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import type { InvoiceTransactionsTable } from '../tables.ts';

/** Money that came for an invoice, or null. */
export async function findTransaction(
  db: Executor,
  merchantId: string,
  id: string,
): Promise<Selectable<InvoiceTransactionsTable> | null> {
  const row = await db
    .selectFrom('invoice_transactions')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
