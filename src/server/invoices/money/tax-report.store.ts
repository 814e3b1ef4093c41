import { sql } from 'kysely';
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

const perPage = 200;

/** Reads, page by page, the invoices that were issued in the period or have a credit note from it. */
export async function* readReportedInvoices(
  db: Executor,
  scope: MerchantScope,
  period: Period,
): AsyncGenerator<ReportedInvoice> {
  let after = '';
  for (;;) {
    const invoices = await readInvoices(db, scope, period, after);
    const notes = Map.groupBy(await readNotes(db, scope, invoices), note => note.invoice_id);
    for (const invoice of invoices) yield { ...invoice, notes: notes.get(invoice.id) ?? [] };
    const last = invoices.at(-1);
    if (last === undefined || invoices.length < perPage) return;
    after = last.id;
  }
}

async function readInvoices(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  { from, to }: Period,
  after: string,
): Promise<Omit<ReportedInvoice, 'notes'>[]> {
  const { rows } = await sql<Omit<ReportedInvoice, 'notes'>>`
    select id, status, issue_date, currency, lines, taxes from invoices
    where merchant_id = ${merchantId} and livemode = ${livemode} and id > ${after} and (
      issue_date between ${from} and ${to}
      or id in (
        select invoice_id from credit_notes
        where merchant_id = ${merchantId} and livemode = ${livemode} and issue_date between ${from} and ${to}
      )
    )
    order by id limit ${perPage}`.execute(db);
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
