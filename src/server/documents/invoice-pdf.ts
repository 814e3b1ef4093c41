import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { attachFacturX } from './e-invoice/factur-x-file.ts';
import { brandColors } from './layout/brand-color.ts';
import { type DocumentStrings, Draft } from './layout/draft.ts';
import { drawLetterhead } from './layout/letterhead.ts';
import { drawLineTable } from './layout/line-table.ts';
import { drawPageFeet, noteOf } from './layout/page-foot.ts';
import { drawPayPanels, isPayable, payAddress } from './layout/pay-panel.ts';
import { closeFile, openFile } from './layout/pdf-file.ts';
import { type Picture, Sheet } from './layout/sheet.ts';
import { drawAmountPanel } from './layout/small-table.ts';
import { drawSwissBill } from './layout/swiss-bill.ts';
import { drawInstallments, drawTotals } from './layout/totals-block.ts';

/** What every document is drawn with. */
export interface DrawingMeans {
  readonly strings: DocumentStrings;
  readonly direction: 'ltr' | 'rtl';
  readonly logo: Picture | null;
}

/** An invoice or a credit note as PDF/A-3b with the same document in EN 16931 inside; a draft has no number, so none. */
export async function invoicePdf(invoice: InvoiceDocument, means: DrawingMeans): Promise<Buffer> {
  const { strings, logo } = means;
  const title = titleOf(invoice, strings);
  const draft = openDraft(invoice, invoice.number === null ? title : `${title} ${invoice.number}`, means);
  draft.addPage();
  const { seller, buyer, livemode } = invoice;
  drawLetterhead(draft, {
    title,
    state: stateOf(invoice, strings),
    seller,
    buyer,
    logo,
    details: detailsOf(draft, invoice),
    livemode,
  });
  drawSummary(draft, invoice);
  drawLineTable(draft, invoice.lines);
  drawTotals(draft, invoice);
  drawInstallments(draft, invoice);
  drawPayPanels(draft, invoice, noteOf(invoice.memo));
  if (isPayable(invoice) && invoice.bankQr?.format === 'swiss_qr') drawSwissBill(draft, invoice.bankQr.payload);
  drawPageFeet(draft, invoice.footer);
  if (invoice.number !== null) attachFacturX(draft.sheet.document, invoice);
  return await closeFile(draft.sheet.document);
}

/** An empty draft in the seller’s colours, about an invoice. */
export function openDraft(invoice: InvoiceDocument, title: string, { strings, direction }: DrawingMeans): Draft {
  const { seller, locale, issueDate, currency } = invoice;
  const date = new Date(`${issueDate ?? '2000-01-01'}T00:00:00Z`);
  const document = openFile({ title: `${title} · ${seller.name}`, author: seller.name, locale, date });
  const sheet = new Sheet(document, locale, direction);
  const runningTitle = `${seller.name} · ${title}`;
  return new Draft({ sheet, strings, colors: brandColors(seller.primaryColor), locale, currency, runningTitle });
}

function titleOf({ kind }: InvoiceDocument, strings: DocumentStrings): string {
  return kind === 'invoice' ? strings.invoice : strings.creditNote;
}

function stateOf({ status, kind }: InvoiceDocument, strings: DocumentStrings): string | null {
  if (status === 'draft') return strings.draft;
  if (status === 'void') return strings.void;
  return status === 'paid' && kind === 'invoice' ? strings.installmentStatus.paid : null;
}

/** Number, dates and reference, as far as the invoice has them. */
export function detailsOf(draft: Draft, invoice: InvoiceDocument): [string, string][] {
  const { strings } = draft;
  const { number, issueDate, dueDate, reference, corrects } = invoice;
  const details: [string, string | null][] = [
    [strings.number, number],
    [strings.issueDate, issueDate && draft.date(issueDate)],
    [strings.dueDate, dueDate && draft.date(dueDate)],
    [strings.reference, reference],
    [strings.invoice, corrects?.number ?? null],
  ];
  return details.filter((detail): detail is [string, string] => detail[1] !== null);
}

function drawSummary(draft: Draft, invoice: InvoiceDocument): void {
  const { strings } = draft;
  const { kind, corrects, total, amountRemaining } = invoice;
  if (kind === 'credit_note') {
    const note = corrects && fill(strings.corrects, { number: corrects.number, date: draft.date(corrects.issueDate) });
    drawAmountPanel(draft, { label: strings.creditTotal, amount: draft.money(total), note, payUrl: null });
    return;
  }
  const isOpen = isPayable(invoice);
  drawAmountPanel(draft, {
    label: isOpen ? strings.amountRemaining : strings.total,
    amount: draft.money(isOpen ? amountRemaining : total),
    note: isOpen ? dueNote(draft, invoice) : null,
    payUrl: isOpen ? payAddress(invoice) : null,
  });
}

/** When it is due; of a plan, what of it is due first. */
function dueNote(draft: Draft, { installments, dueDate, asked, amountRemaining }: InvoiceDocument): string | null {
  const { strings } = draft;
  const next = installments.find(({ status }) => status !== 'paid');
  const day = next?.dueDate ?? dueDate;
  if (day === null) return null;
  const date = draft.date(day);
  if (next === undefined || asked >= amountRemaining) return fill(strings.dueOn, { date });
  return fill(next.status === 'overdue' ? strings.partOverdue : strings.partDue, { amount: draft.money(asked), date });
}
