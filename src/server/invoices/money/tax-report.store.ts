import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';

/** First and last issue date, `YYYY-MM-DD`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** An invoice with the columns that the report needs, and all its credit notes in the order of their numbers. */
export interface ReportedInvoice
  extends Pick<InvoiceRow, 'id' | 'status' | 'issue_date' | 'currency' | 'lines' | 'taxes'> {
  readonly notes: readonly ReportedNote[];
}

type ReportedNote = Pick<CreditNoteRow, 'invoice_id' | 'issue_date' | 'amount' | 'lines' | 'taxes'>;

/** Invoices in memory at the same time. Each page also reads its credit notes. */
const perPage = 2_000;

/**
 * Reads, page by page, the invoices that were issued in the period, and then the other invoices that have a credit note
 * from it. Both follow an index of the period, so that invoices of other periods cost nothing.
 */
export async function* readReportedInvoices(
  db: Executor,
  scope: MerchantScope,
  period: Period,
): AsyncGenerator<ReportedInvoice> {
  for (const pageOf of [issued, credited]) {
    for (let last: ReadInvoice | undefined; ; ) {
      const invoices: readonly ReadInvoice[] = await readInvoices(db, scope, pageOf(scope, period, last));
      const notes = Map.groupBy(await readNotes(db, scope, invoices), note => note.invoice_id);
      for (const invoice of invoices) yield { ...invoice, notes: notes.get(invoice.id) ?? [] };
      last = invoices.at(-1);
      if (invoices.length < perPage) break;
    }
  }
}

type ReadInvoice = Omit<ReportedInvoice, 'notes'>;

/** The condition and the order of the page after `last`. */
type Page = (scope: MerchantScope, period: Period, last: ReadInvoice | undefined) => RawBuilder<unknown>;

const issued: Page = (_, { from, to }, last) => sql`
  issue_date <= ${to} and (issue_date, id) > (${last?.issue_date ?? from}, ${last?.id ?? ''})
  order by issue_date, id`;

const credited: Page = ({ merchantId, livemode }, { from, to }, last) => sql`
  issue_date not between ${from} and ${to}
  and id in (
    select invoice_id from credit_notes
    where merchant_id = ${merchantId} and livemode = ${livemode} and issue_date between ${from} and ${to}
      and invoice_id > ${last?.id ?? ''}
  )
  order by id`;

async function readInvoices(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  page: RawBuilder<unknown>,
): Promise<readonly ReadInvoice[]> {
  const { rows } = await sql<ReadInvoice>`
    select id, status, issue_date, currency, lines, taxes from invoices
    where merchant_id = ${merchantId} and livemode = ${livemode} and ${page}
    limit ${perPage}`.execute(db);
  return rows;
}

async function readNotes(
  db: Executor,
  { merchantId }: MerchantScope,
  invoices: readonly Pick<ReportedInvoice, 'id'>[],
): Promise<ReportedNote[]> {
  const { rows } = await sql<ReportedNote>`
    select invoice_id, issue_date, amount, lines, taxes from credit_notes
    where merchant_id = ${merchantId} and invoice_id = any(${invoices.map(({ id }) => id)})
    order by length(number), number`.execute(db);
  return rows;
}
