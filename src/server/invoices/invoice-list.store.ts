import type { Selectable } from 'kysely';
import type { InvoiceStatus } from '../../api/invoice-view.ts';
import type { Db } from '../db/database.ts';
import type { InvoiceTransactionsTable } from '../db/invoice-tables.ts';
import { type Page, type PageRequest, pageBounds } from '../db/page.ts';
import type { CreditNoteRow, InvoiceRow } from './invoice.view.ts';

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
  const bounds = await pageBounds(db, { table: 'invoices', ...scope }, request);
  let query = db
    .selectFrom('invoices')
    .selectAll()
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where(bounds.within);
  if (filters.status !== undefined) query = query.where('status', '=', filters.status);
  if (filters.reference !== undefined) query = query.where('reference', '=', filters.reference);
  if (filters.number !== undefined) query = query.where('number', '=', filters.number);
  if (filters.customerId !== undefined) query = query.where('customer_id', '=', filters.customerId);
  const rows = await query.orderBy('created_at', bounds.order).orderBy('id', bounds.order).limit(bounds.take).execute();
  return bounds.toPage(rows);
}

/** A page of what changed what an invoice's customer owes. */
export async function listTransactions(
  db: Db,
  scope: InvoiceScope & { readonly invoiceId: string },
  request: PageRequest,
): Promise<Page<Selectable<InvoiceTransactionsTable>>> {
  const bounds = await pageBounds(db, { table: 'invoice_transactions', ...scope }, request);
  const rows = await db
    .selectFrom('invoice_transactions')
    .selectAll()
    .where('merchant_id', '=', scope.merchantId)
    .where('invoice_id', '=', scope.invoiceId)
    .where(bounds.within)
    .orderBy('created_at', bounds.order)
    .orderBy('id', bounds.order)
    .limit(bounds.take)
    .execute();
  return bounds.toPage(rows);
}

/** A page of credit notes: of one invoice, or all of the merchant's. */
export async function listCreditNotes(
  db: Db,
  scope: InvoiceScope & { readonly invoiceId?: string },
  request: PageRequest,
): Promise<Page<CreditNoteRow>> {
  const bounds = await pageBounds(db, { table: 'credit_notes', ...scope }, request);
  let query = db
    .selectFrom('credit_notes')
    .selectAll()
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where(bounds.within);
  if (scope.invoiceId !== undefined) query = query.where('invoice_id', '=', scope.invoiceId);
  const rows = await query.orderBy('created_at', bounds.order).orderBy('id', bounds.order).limit(bounds.take).execute();
  return bounds.toPage(rows);
}
