import type { InvoiceLine, InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import type { TaxReportLine } from '../../../api/invoice/tax-report.ts';
import type { CreditPart } from '../../../core/invoice/invoice-credit.ts';
import { parsePercent } from '../../../core/invoice/invoice-decimal.ts';
import { sumOf } from '../../../core/money.ts';
import { vatCategories } from '../../documents/documents.ts';
import type { Executor } from '../../platform/db/database.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import { creditedParts, wholeParts } from './credited-lines.ts';
import { type Period, type ReportedInvoice, readReportedInvoices } from './tax-report.store.ts';

type Category = TaxReportLine['category'];

/** The sums of one rate and VAT category, in minor units. */
export interface TaxSums {
  readonly currency: string;
  readonly name: string;
  readonly percent: string;
  readonly category: Category;
  readonly invoiced: TaxSum;
  readonly credited: TaxSum;
}

interface TaxSum {
  readonly base: bigint;
  readonly amount: bigint;
}

/** A rate of a document, with its base and tax. */
interface Share extends TaxSum {
  readonly name: string;
  readonly percent: string;
  readonly category: Category;
}

/** An invoice or a credit note. `parts`: its part of each line of the invoice. */
interface TaxedDocument {
  readonly side: 'invoiced' | 'credited';
  readonly taxes: readonly InvoiceTaxTotal[];
  readonly parts: readonly CreditPart[];
}

const nothing: TaxSum = { base: 0n, amount: 0n };

/**
 * Sums the taxes of documents that were issued in a period, by currency, rate and VAT category. Of a void invoice, only
 * the part that credit notes took back counts as invoiced: each note counts, too, in its own period.
 */
export async function sumTaxes(db: Executor, scope: MerchantScope, period: Period): Promise<readonly TaxSums[]> {
  const sums = new Map<string, TaxSums>();
  for await (const invoice of readReportedInvoices(db, scope, period)) {
    for (const document of documentsOf(invoice, period)) {
      for (const share of sharesOf(invoice, document)) add(sums, invoice, document, share);
    }
  }
  return [...sums.values()].sort(
    (a, b) =>
      compare(a.currency, b.currency) ||
      compare(parsePercent(b.percent) ?? 0n, parsePercent(a.percent) ?? 0n) ||
      compare(a.name, b.name) ||
      compare(a.category, b.category),
  );
}

function documentsOf(invoice: ReportedInvoice, { from, to }: Period): TaxedDocument[] {
  const isIn = (day: string | null) => day !== null && from <= day && day <= to;
  const { lines, taxes, notes } = invoice;
  const isVoid = invoice.status === 'void';
  const isIssued = isIn(invoice.issue_date);
  const documents: TaxedDocument[] = isIssued && !isVoid ? [{ side: 'invoiced', taxes, parts: wholeParts(lines) }] : [];
  for (const [index, note] of notes.entries()) {
    const parts = creditedParts(invoice, notes.slice(0, index), note);
    if (isIssued && isVoid) documents.push({ side: 'invoiced', taxes: note.taxes, parts });
    if (isIn(note.issue_date)) documents.push({ side: 'credited', taxes: note.taxes, parts });
  }
  return documents;
}

/** The rates above 0 % as the document states them. All else comes from the lines, because only they have a category. */
function sharesOf({ lines }: ReportedInvoice, { taxes, parts }: TaxedDocument): Share[] {
  const taxed = taxes
    .filter(({ percent }) => percent !== '0')
    .map(({ name, percent, base, amount }) => ({
      name,
      percent,
      category: 'standard' as const,
      base: BigInt(base),
      amount: BigInt(amount),
    }));
  const categories = vatCategories(lines);
  const untaxed = lines.flatMap((line, index) => {
    const [part, category] = [parts[index], categories[index]];
    return part === undefined || category === undefined ? [] : untaxedShares(line, part, category);
  });
  return [...taxed, ...untaxed];
}

function untaxedShares({ taxes }: InvoiceLine, { net, taxes: amounts }: CreditPart, category: Category): Share[] {
  if (taxes.length === 0) return [{ name: '', percent: '0', category, base: net, amount: 0n }];
  return taxes.flatMap(({ name, percent, compound }, position) =>
    percent === '0'
      ? { name, percent, category, amount: 0n, base: compound ? net + sumOf(amounts.slice(0, position)) : net }
      : [],
  );
}

function add(sums: Map<string, TaxSums>, { currency }: ReportedInvoice, { side }: TaxedDocument, share: Share): void {
  const { name, percent, category, base, amount } = share;
  const key = JSON.stringify([currency, name, percent, category]);
  const sum = sums.get(key) ?? { currency, name, percent, category, invoiced: nothing, credited: nothing };
  sums.set(key, { ...sum, [side]: { base: sum[side].base + base, amount: sum[side].amount + amount } });
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
