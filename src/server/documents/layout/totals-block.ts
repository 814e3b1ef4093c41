import type {
  InvoiceDocument,
  InvoiceDocumentTax,
  InvoiceInstallment,
} from '../../../core/invoice/invoice-document.ts';
import { fill } from '../../../core/locale/locale.ts';
import { type Draft, shades, styles } from './draft.ts';
import { discountName, taxName } from './line-table.ts';
import { contentWidth, lineHeight, margin, type TextStyle } from './sheet.ts';
import { drawSmallTable, type SmallTable, smallTableHeight } from './small-table.ts';

const totalsWidth = 226;
const summaryWidth = contentWidth - totalsWidth - 30;
const rowGap = 4;

/** A label and its amount. */
interface Sum {
  readonly label: string;
  readonly amount: string;
  readonly style: TextStyle;
  /** Whether a line separates this row from the rows above. */
  readonly isRuled?: boolean;
}

/** Draws discounts, taxes, total and paid amount. A table beside them lists the base of each tax. */
export function drawTotals(draft: Draft, invoice: InvoiceDocument): void {
  const sums = sumsOf(draft, invoice);
  const height = sums.length * (lineHeight(styles.body) + rowGap) + 36;
  const summary = taxSummary(draft, invoice.taxes);
  draft.makeRoom(Math.min(Math.max(height, summary === null ? 0 : smallTableHeight(summary) + 50), 400));
  const [top, page] = [draft.y, draft.pages];
  for (const sum of sums) drawSum(draft, sum);
  const [bottom, endPage] = [draft.y, draft.pages];
  if (endPage === page) draft.y = top;
  if (summary !== null) drawSmallTable(draft, summary);
  drawExchangeRate(draft, invoice);
  draft.y = (draft.pages === endPage ? Math.max(draft.y, bottom) : draft.y) + 12;
}

function sumsOf(draft: Draft, invoice: InvoiceDocument): Sum[] {
  const { strings } = draft;
  const plain = (label: string, amount: bigint): Sum => ({ label, amount: draft.money(amount), style: styles.body });
  const bold = (label: string, amount: bigint): Sum => ({
    label: `${label} (${invoice.currency})`,
    amount: draft.money(amount),
    style: styles.strong,
    isRuled: true,
  });
  const whole = invoice.discount?.amount ?? 0n;
  const onLines = invoice.discountTotal - whole;
  const percent = invoice.discount?.percent ?? null;
  const sums = [plain(strings.subtotal, invoice.subtotal)];
  if (onLines !== 0n) sums.push(plain(strings.discountOnLines, -onLines));
  if (whole !== 0n) sums.push(plain(discountName(draft, percent), -whole));
  for (const tax of invoice.taxes) if (!tax.inclusive) sums.push(plain(taxName(draft, tax), tax.amount));
  sums.push(bold(invoice.kind === 'invoice' ? strings.total : strings.creditTotal, invoice.total));
  if (invoice.amountPaid !== 0n) sums.push(plain(strings.amountPaid, -invoice.amountPaid));
  if (invoice.amountCredited !== 0n) sums.push(plain(strings.amountCredited, -invoice.amountCredited));
  const isReduced = invoice.kind === 'invoice' && invoice.amountRemaining !== invoice.total;
  if (isReduced) sums.push(bold(strings.amountRemaining, invoice.amountRemaining));
  return sums;
}

function drawSum(draft: Draft, { label, amount, style, isRuled }: Sum): void {
  const { sheet } = draft;
  draft.makeRoom(lineHeight(style) + rowGap * 2);
  const at = margin + contentWidth - totalsWidth;
  if (isRuled) sheet.rule(at, draft.y + rowGap, totalsWidth, shades.ink, 0.8);
  const y = draft.y + (isRuled ? 2.5 : 1) * rowGap;
  const amountWidth = Math.min(sheet.setter.width(amount, style) + 1, totalsWidth * 0.6);
  const box = { at: at + totalsWidth - amountWidth, y, width: amountWidth, align: 'end' } as const;
  const height = Math.max(
    sheet.text(label, { at, y, width: totalsWidth - amountWidth - 8 }, style),
    sheet.text(amount, box, style),
  );
  draft.y = y + height + (isRuled ? rowGap : 0);
}

function taxSummary(draft: Draft, taxes: readonly InvoiceDocumentTax[]): SmallTable | null {
  if (taxes.length === 0) return null;
  const { strings } = draft;
  return {
    width: summaryWidth,
    title: strings.taxSummary,
    head: [strings.tax, strings.taxBase, strings.amount],
    rows: taxes.map(tax => [
      tax.inclusive ? `${taxName(draft, tax)}, ${strings.taxIncludedMark}` : taxName(draft, tax),
      draft.money(tax.base),
      draft.money(tax.amount),
    ]),
    shares: [0.46, 0.29, 0.25],
    figures: 2,
  };
}

/** Draws total and tax in the second currency of the invoice (Directive 2006/112/EC, article 230). */
function drawExchangeRate(draft: Draft, { exchangeRate, currency, taxTotal }: InvoiceDocument): void {
  if (exchangeRate === null) return;
  const { strings, sheet } = draft;
  const text = fill(strings.exchangeRate, {
    date: draft.date(exchangeRate.date),
    from: currency,
    rate: draft.number(exchangeRate.rate),
    to: exchangeRate.currency,
    total: draft.money(exchangeRate.total, exchangeRate.currency),
  });
  const tax = fill(strings.exchangeTax, { amount: draft.money(exchangeRate.taxTotal, exchangeRate.currency) });
  const full = taxTotal === 0n ? text : `${text}. ${tax}`;
  draft.makeRoom(30);
  draft.y += 8;
  draft.y += sheet.text(full, { at: margin, y: draft.y, width: summaryWidth }, styles.label);
}

/** Draws the payment plan. Shows every part of a void invoice as cancelled. */
export function drawInstallments(draft: Draft, { installments, status: invoiceStatus }: InvoiceDocument): void {
  if (installments.length === 0) return;
  const { strings } = draft;
  let count = 0;
  const statusOf = ({ status, amountPaid }: InvoiceInstallment) => {
    if (invoiceStatus === 'void') return strings.void;
    const text = strings.installmentStatus[status];
    return status === 'partially_paid' ? `${text}: ${draft.money(amountPaid)}` : text;
  };
  const rows = installments.map(part => [
    part.kind === 'deposit' ? strings.deposit : fill(strings.installment, { number: draft.number(String(++count)) }),
    draft.date(part.dueDate),
    statusOf(part),
    draft.money(part.amount),
  ]);
  drawSmallTable(draft, {
    title: strings.plan,
    head: ['', strings.dueDate, strings.status, strings.amount],
    rows,
    shares: [0.28, 0.26, 0.26, 0.2],
    figures: 1,
  });
  draft.y += 16;
}
