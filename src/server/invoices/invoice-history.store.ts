import { sql } from 'kysely';
import type { Executor } from '../platform/db/database.ts';
import type { CreditNoteRow, InvoiceRow } from './invoice.view.ts';

type Key = Pick<InvoiceRow, 'merchant_id' | 'id'>;

/** What came for an invoice, and its customer's credit as the invoice knows it. Minor units. */
export interface InvoiceSums {
  /** All that came, what was too much and credit that was used included. */
  readonly received: bigint;
  /** What the invoice made, less what refunds took out of it. */
  readonly kept: bigint;
  /** What was used on it when it was sent. */
  readonly used: bigint;
}

/** Sums what came for an invoice, and the credit that it made and used. */
export async function sumsOf(db: Executor, { merchant_id: merchantId, id }: Key): Promise<InvoiceSums> {
  const isMoney = sql`type in ('payment', 'recorded_payment', 'credit_applied')`;
  return await db
    .selectFrom('invoice_transactions')
    .select([
      sql<bigint>`coalesce(sum(amount + amount_overpaid) filter (where ${isMoney}), 0)`.as('received'),
      sql<bigint>`coalesce(sum(amount_overpaid), 0)`.as('kept'),
      sql<bigint>`coalesce(sum(amount) filter (where type = 'credit_applied'), 0)`.as('used'),
    ])
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The credit notes upon an invoice, in the order of their numbers. */
export async function creditNotesOf(db: Executor, { merchant_id: merchantId, id }: Key): Promise<CreditNoteRow[]> {
  return await db
    .selectFrom('credit_notes')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', id)
    .orderBy(sql`length(number)`)
    .orderBy('number')
    .execute();
}
