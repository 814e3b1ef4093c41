import { sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import { findRow } from '../../platform/db/rows.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';

type Key = Pick<InvoiceRow, 'merchant_id' | 'id'>;

/** Sums of an invoice's credit notes, in minor units. */
export interface CreditedSums {
  readonly amount: bigint;
  readonly tax: bigint;
  /** The part that became the customer's credit. */
  readonly toCredit: bigint;
}

export async function creditedSums(db: Executor, { merchant_id: merchantId, id }: Key): Promise<CreditedSums> {
  return await db
    .selectFrom('credit_notes')
    .select([
      sql<bigint>`coalesce(sum(amount), 0)`.as('amount'),
      sql<bigint>`coalesce(sum(tax_total), 0)`.as('tax'),
      sql<bigint>`coalesce(sum(amount_to_credit), 0)`.as('toCredit'),
    ])
    .where(eb => eb.and({ merchant_id: merchantId, invoice_id: id }))
    .executeTakeFirstOrThrow();
}

/** The part of the credit notes that covers refunds. It did not lower the remaining amount or become credit. */
export function settledByRefunds(
  { amount_credited: credited }: Pick<InvoiceRow, 'amount_credited'>,
  { amount, toCredit }: CreditedSums,
): bigint {
  return amount - toCredit - credited;
}

/** The credit notes of an invoice, in the order of their numbers. */
export async function creditNotesOf(db: Executor, { merchant_id: merchantId, id }: Key): Promise<CreditNoteRow[]> {
  return await db
    .selectFrom('credit_notes')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, invoice_id: id }))
    .orderBy(sql`length(number)`)
    .orderBy('number')
    .execute();
}

/** The credit notes of an invoice in the order of their numbers. With `before`, only those before that number. */
export async function earlierNotes(db: Executor, invoice: Key, before?: string): Promise<CreditNoteRow[]> {
  const notes = await creditNotesOf(db, invoice);
  return notes.slice(0, before === undefined ? notes.length : notes.findIndex(({ number }) => number === before));
}

/** The credit note, or null if the merchant has no note with this id. */
export async function findCreditNote(db: Executor, merchantId: string, id: string): Promise<CreditNoteRow | null> {
  return await findRow(db, 'credit_notes', { merchant_id: merchantId, id });
}
