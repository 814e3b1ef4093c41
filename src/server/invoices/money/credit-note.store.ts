import { type Insertable, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';
import type { CreditNotesTable } from '../tables.ts';

/** Sums of the credit notes upon an invoice, in minor units. */
export interface CreditedSums {
  readonly amount: bigint;
  /** Of it, what became the customer's credit. */
  readonly toCredit: bigint;
}

/** What the credit notes upon an invoice come to so far. */
export async function creditedSums(
  tx: Tx,
  { merchant_id: merchantId, id }: Pick<InvoiceRow, 'merchant_id' | 'id'>,
): Promise<CreditedSums> {
  return await tx
    .selectFrom('credit_notes')
    .select([
      sql<bigint>`coalesce(sum(amount), 0)`.as('amount'),
      sql<bigint>`coalesce(sum(amount_to_credit), 0)`.as('toCredit'),
    ])
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The part of the credit notes that lowered no remaining amount and made no credit, since it had been refunded. */
export function settledByRefunds(
  { amount_credited: credited }: Pick<InvoiceRow, 'amount_credited'>,
  { amount, toCredit }: CreditedSums,
): bigint {
  return amount - toCredit - credited;
}

/** Amounts of the credit notes upon an invoice, in the order of their numbers; with a number, of those before it. */
export async function earlierAmounts(
  db: Executor,
  { merchant_id: merchantId, id }: Pick<InvoiceRow, 'merchant_id' | 'id'>,
  before?: string,
): Promise<bigint[]> {
  const rows = await db
    .selectFrom('credit_notes')
    .select(['number', 'amount'])
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', id)
    .orderBy(sql`length(number)`)
    .orderBy('number')
    .execute();
  const end = before === undefined ? rows.length : rows.findIndex(({ number }) => number === before);
  return rows.slice(0, end).map(({ amount }) => amount);
}

/** Writes a credit note. */
export async function insertCreditNote(tx: Tx, columns: Insertable<CreditNotesTable>): Promise<CreditNoteRow> {
  return await tx.insertInto('credit_notes').values(columns).returningAll().executeTakeFirstOrThrow();
}

/** The credit note, or null when the merchant has none of this id. */
export async function findCreditNote(db: Executor, merchantId: string, id: string): Promise<CreditNoteRow | null> {
  const row = await db
    .selectFrom('credit_notes')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
