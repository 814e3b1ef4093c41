import type { Selectable } from 'kysely';
import type { InvoiceStatus } from '../../api/invoice/invoice-view.ts';
import type { Db } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { CreditNoteRow, InvoiceRow } from './invoice.view.ts';
import type { InvoiceTransactionsTable } from './tables.ts';

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
