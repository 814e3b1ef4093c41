import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { drawAmountPanel } from './amount-panel.ts';
import { type Draft, styles } from './draft.ts';
import type { ReceiptOrder } from './drawing.ts';
import { type DrawingMeans, openDraft } from './invoice-pdf.ts';
import { drawLetterhead } from './letterhead.ts';
import { drawPageFeet } from './page-foot.ts';
import { closeFile } from './pdf-file.ts';
import { contentWidth, margin } from './sheet.ts';
import { drawSmallTable } from './small-table.ts';

/** A receipt of one payment of an invoice, and what is left of the invoice. */
export async function receiptPdf({ invoice, payment }: ReceiptOrder, means: DrawingMeans): Promise<Buffer> {
  const { strings, logo } = means;
  const { seller, buyer, livemode } = invoice;
  const draft = openDraft(invoice, `${strings.receipt} ${payment.number}`, means);
  const details: [string, string][] = [
    [strings.number, payment.number],
    [strings.paidOn, draft.date(payment.paidOn)],
    [strings.method, strings.methods[payment.method]],
  ];
  if (payment.reference !== null) details.push([strings.reference, payment.reference]);
  draft.addPage();
  drawLetterhead(draft, { title: strings.receipt, state: null, seller, buyer, logo, details, livemode });
  drawAmountPanel(draft, {
    label: strings.amountReceived,
    amount: draft.money(payment.amount),
    note: receivedFor(draft, invoice),
    payUrl: null,
  });
  drawInvoiceState(draft, invoice, payment.kept);
  if (invoice.amountRemaining === 0n) draft.write(strings.receiptDone, styles.strong);
  drawPageFeet(draft, invoice.footer);
  return await closeFile(draft.sheet.document);
}

function receivedFor(draft: Draft, { number, issueDate }: InvoiceDocument): string | null {
  if (number === null || issueDate === null) return null;
  return fill(draft.strings.receiptFor, { number, date: draft.date(issueDate) });
}

/** What the invoice came to, what is paid of it and what is left; `kept`: what came on top and is credit. */
export function drawInvoiceState(draft: Draft, invoice: InvoiceDocument, kept = 0n): void {
  const { strings } = draft;
  const rows: [string, string][] = [
    [strings.invoiceTotal, draft.money(invoice.total)],
    [strings.amountPaid, draft.money(invoice.amountPaid)],
  ];
  if (invoice.amountCredited !== 0n) rows.push([strings.amountCredited, draft.money(invoice.amountCredited)]);
  rows.push([strings.amountRemaining, draft.money(invoice.amountRemaining)]);
  if (kept > 0n) rows.push([strings.creditKept, draft.money(kept)]);
  drawSmallTable(draft, {
    at: margin,
    width: contentWidth,
    title: invoice.number === null ? strings.invoice : `${strings.invoice} ${invoice.number}`,
    head: ['', `${strings.amount} (${invoice.currency})`],
    rows,
    shares: [0.6, 0.4],
    figures: 1,
  });
  draft.y += 20;
}
