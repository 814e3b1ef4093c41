import type { InvoiceLine } from '../../../api/invoice/invoice-view.ts';
import { type CreditPart, sumOfParts, wholeOf } from '../../../core/invoice/invoice-credit.ts';
import { parseDecimal, quantityDecimals } from '../../../core/invoice/invoice-decimal.ts';
import type { InvoiceDocument, InvoiceDocumentLine } from '../../../core/invoice/invoice-document.ts';
import { divideRounded, sumOf } from '../../../core/money.ts';
import { vatCategories } from '../../documents/documents.ts';
import { taxDocument } from '../billing/invoice-document.service.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';
import { creditedParts, keyOfRate } from '../money/credited-lines.ts';
import type { KeptCreditLine } from '../tables.ts';

/**
 * The document of a credit note. A note over the whole invoice repeats the invoice's lines. A note that names lines has
 * one line for each of them. Any other note has one line for each group of lines with the same taxes and VAT category.
 * `earlier`: the earlier notes, in order.
 */
export function creditNoteDocument(
  whole: InvoiceDocument,
  note: CreditNoteRow,
  invoice: InvoiceRow,
  earlier: readonly CreditNoteRow[],
): InvoiceDocument {
  const isWhole = note.amount === invoice.total;
  // A tax rate without credited lines does not belong on the note.
  const taxes = note.taxes.map(taxDocument).filter(({ base, amount }) => isWhole || base !== 0n || amount !== 0n);
  return {
    ...whole,
    kind: 'credit_note',
    id: note.id,
    number: note.number,
    issueDate: note.issue_date,
    dueDate: null,
    // A note that voids its invoice is not void itself.
    status: 'paid',
    corrects: { number: invoice.number ?? '', issueDate: invoice.issue_date ?? '' },
    ...(!isWhole && sumsOfLines(creditLines(note, invoice, earlier))),
    taxes,
    taxTotal: note.tax_total,
    taxIncluded: sumOf(taxes.filter(tax => tax.inclusive).map(({ amount }) => amount)),
    total: note.amount,
    amountPaid: 0n,
    amountCredited: 0n,
    amountRemaining: 0n,
    installments: [],
    exchangeRate: null,
    memo: note.memo,
    payUrl: null,
    bankQr: null,
  };
}

function sumsOfLines(lines: InvoiceDocumentLine[]) {
  const subtotal = sumOf(lines.map(line => line.subtotal));
  return { lines, subtotal, discount: null, discountTotal: sumOf(lines.map(line => line.discountShare)) };
}

function creditLines(
  note: CreditNoteRow,
  invoice: InvoiceRow,
  earlier: readonly CreditNoteRow[],
): InvoiceDocumentLine[] {
  const { number } = invoice;
  const lines = withCategories(invoice.lines);
  if (note.lines !== null) return note.lines.flatMap(named => namedLine(named, lines[named.line], number));
  const parts = creditedParts(invoice, earlier, note);
  const groups = Map.groupBy(lines.entries(), ([, { taxes, vat }]) =>
    JSON.stringify([taxes.map(keyOfRate), vat ?? null]),
  );
  return [...groups.values()].flatMap(members => {
    const part = sumOfParts(members.flatMap(([index]) => parts[index] ?? []));
    const [[, only] = [], ...others] = members;
    if (only === undefined || priceOf(part, only) === 0n) return [];
    return amountLine(part, only, others.length > 0 ? (number ?? '') : `${number}: ${only.description}`);
  });
}

/**
 * The lines with the VAT category that the invoice states. The note's own lines may not show it: an untaxed line is
 * exempt beside taxed lines, but outside of VAT on its own.
 */
function withCategories(lines: readonly InvoiceLine[]): InvoiceLine[] {
  const categories = vatCategories(lines);
  return lines.map((line, index) => {
    const category = categories[index];
    return category === undefined ? line : { ...line, vat: line.vat ?? { category, exemption_reason: null } };
  });
}

/** A line that the note names. Shows the credited quantity if it explains the amount, otherwise a quantity of one. */
function namedLine(
  { quantity, net, taxes }: KeptCreditLine,
  line: InvoiceLine | undefined,
  number: string | null,
): InvoiceDocumentLine[] {
  if (line === undefined) return [];
  const part = { net: BigInt(net), taxes: taxes.map(BigInt) };
  const description = `${number}: ${line.description}`;
  const one = amountLine(part, line, description);
  if (quantity === null) return [one];
  const millionths = parseDecimal(quantity, quantityDecimals) ?? 0n;
  const subtotal = divideRounded(BigInt(line.unit_amount) * millionths, 10n ** BigInt(quantityDecimals));
  const discountShare = subtotal - one.subtotal;
  if (discountShare < 0n || (discountShare > 0n && line.discount_total === 0)) {
    return [{ ...one, description: `${description} (${[quantity, line.unit].filter(Boolean).join(' ')})` }];
  }
  const { unit, unit_amount: unitAmount } = line;
  return [{ ...one, quantity, unit, unitAmount: BigInt(unitAmount), subtotal, discountShare }];
}

/** One piece at the credited price. */
function amountLine(part: CreditPart, line: InvoiceLine, description: string): InvoiceDocumentLine {
  const price = priceOf(part, line);
  return {
    description,
    quantity: '1',
    unit: null,
    unitAmount: price,
    subtotal: price,
    discount: null,
    discountShare: 0n,
    taxes: line.taxes.map((rate, position) => ({ ...rate, amount: part.taxes[position] ?? 0n })),
    vat: line.vat == null ? null : { category: line.vat.category, reason: line.vat.exemption_reason },
    net: part.net,
    total: wholeOf(part),
  };
}

/** The net amount, plus the taxes that the price includes. */
function priceOf({ net, taxes }: CreditPart, line: InvoiceLine): bigint {
  return net + sumOf(taxes.filter((_, position) => line.taxes[position]?.inclusive));
}
