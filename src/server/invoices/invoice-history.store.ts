import { sql } from 'kysely';
import type { Executor } from '../db/database.ts';
import type { CreditNoteRow, InvoiceRow } from './invoice.view.ts';

type Key = Pick<InvoiceRow, 'merchant_id' | 'id'>;

/** Credit of its customer as an invoice knows it. Minor units. */
export interface InvoiceCredit {
  /** What the invoice made, less what refunds took out of it. */
  readonly kept: bigint;
  /** What was used on it when it was sent. */
  readonly used: bigint;
}

/** Sums the credit that an invoice made and used. */
export async function creditOf(db: Executor, { merchant_id: merchantId, id }: Key): Promise<InvoiceCredit> {
  return await db
    .selectFrom('invoice_transactions')
    .select([
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
