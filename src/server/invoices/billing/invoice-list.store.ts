import { type Selectable, sql } from 'kysely';
import type { InvoiceStatus } from '../../../api/invoice/invoice-view.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';
import type { InvoiceTransactionsTable } from '../tables.ts';

/** Whose invoices a list shows. */
export interface InvoiceScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Filters of the list of invoices. */
export interface InvoiceFilters {
  readonly status?: InvoiceStatus;
  readonly reference?: string;
  readonly number?: string;
  readonly customerId?: string;
}

/** A page of the merchant's invoices. */
export async function listInvoices(
  db: Db,
  scope: InvoiceScope,
  filters: InvoiceFilters,
  request: PageRequest,
): Promise<Page<InvoiceRow>> {
  const { status, reference, number, customerId } = filters;
  const equal = { status, reference, number, customer_id: customerId };
  return await readPage(db, { table: 'invoices', ...scope }, request, { equal });
}

/** A page of what changed what an invoice's customer owes. */
export async function listTransactions(
  db: Db,
  scope: InvoiceScope & { readonly invoiceId: string },
  request: PageRequest,
): Promise<Page<Selectable<InvoiceTransactionsTable>>> {
  const { merchantId, livemode, invoiceId } = scope;
  const list = { table: 'invoice_transactions' as const, merchantId, livemode, only: { invoice_id: invoiceId } };
  return await readPage(db, list, request);
}

/** A page of credit notes: of one invoice, or all of the merchant's. */
export async function listCreditNotes(
  db: Db,
  scope: InvoiceScope & { readonly invoiceId?: string },
  request: PageRequest,
): Promise<Page<CreditNoteRow>> {
  const { merchantId, livemode, invoiceId } = scope;
  const list = { table: 'credit_notes' as const, merchantId, livemode, only: { invoice_id: invoiceId } };
  return await readPage(db, list, request);
}

type Key = Pick<InvoiceRow, 'merchant_id' | 'id'>;

/** Money received for an invoice, and the credit that it made and used. Minor units. */
interface InvoiceSums {
  /** All that came, what was too much and credit that was used included. */
  readonly received: bigint;
  /** What the invoice made, less what refunds took out of it. */
  readonly kept: bigint;
  /** What was used on it when it was sent. */
  readonly used: bigint;
}

/** Sums the money received for an invoice, and the credit that it made and used. */
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

/** Records a view of the invoice. False when they had before. */
export async function insertView(tx: Tx, invoice: InvoiceRow, viewer: Buffer, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('invoice_views')
    .values({ merchant_id: invoice.merchant_id, invoice_id: invoice.id, viewer, viewed_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
