import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { type DrawingMeans, detailsOf, openDraft } from './invoice-pdf.ts';
import { type Draft, styles } from './layout/draft.ts';
import { drawLetterhead } from './layout/letterhead.ts';
import { drawPageFeet } from './layout/page-foot.ts';
import { drawPayPanels, payAddress } from './layout/pay-panel.ts';
import { closeFile } from './layout/pdf-file.ts';
import { contentWidth, margin } from './layout/sheet.ts';
import { drawAmountPanel, drawSmallTable } from './layout/small-table.ts';
import { drawSwissBill } from './layout/swiss-bill.ts';
import { drawInstallments } from './layout/totals-block.ts';
import type { ReceiptOrder, ReminderOrder } from './process/drawing.ts';

/** A receipt of one payment of an invoice, with the invoice's remaining amount. */
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

/** Total, paid and remaining amount of the invoice; `kept`: the overpayment, which is credit. */
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

/** A reminder of what falls or fell due of an invoice, with the ways to pay it. */
export async function reminderPdf(order: ReminderOrder, means: DrawingMeans): Promise<Buffer> {
  const { invoice, date, amountDue, dueDate } = order;
  const { strings, logo } = means;
  const { seller, buyer, livemode } = invoice;
  const draft = openDraft(invoice, `${strings.reminder} · ${strings.invoice} ${invoice.number ?? ''}`, means);
  const details: [string, string][] = [[strings.date, draft.date(date)], ...detailsOf(draft, invoice)];
  draft.addPage();
  drawLetterhead(draft, { title: strings.reminder, state: null, seller, buyer, logo, details, livemode });
  const sentence = dueDate < date ? strings.reminderOverdueText : strings.reminderText;
  const due = draft.date(dueDate);
  const amount = draft.money(amountDue);
  draft.write(fill(sentence, { amount, number: invoice.number ?? '', date: due }), styles.body);
  draft.write(strings.reminderSettled, styles.second);
  draft.y += 14;
  drawAmountPanel(draft, {
    label: strings.reminderAsked,
    amount,
    note: fill(strings.dueOn, { date: due }),
    payUrl: payAddress(invoice),
  });
  drawInvoiceState(draft, invoice);
  drawInstallments(draft, invoice);
  drawPayPanels(draft, invoice);
  if (invoice.bankQr?.format === 'swiss_qr') drawSwissBill(draft, invoice.bankQr.payload);
  drawPageFeet(draft, invoice.footer);
  return await closeFile(draft.sheet.document);
}
