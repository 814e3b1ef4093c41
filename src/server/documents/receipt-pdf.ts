import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { detailsOf, openDraft } from './invoice-pdf.ts';
import { type Draft, type DrawingMeans, styles } from './layout/draft.ts';
import { drawLetterhead, drawPageFeet } from './layout/letterhead.ts';
import { drawWaysToPay, payAddress } from './layout/pay-panel.ts';
import { contentWidth, margin } from './layout/sheet.ts';
import { drawAmountPanel, drawSmallTable } from './layout/small-table.ts';
import { drawInstallments } from './layout/totals-block.ts';
import type { ReceiptOrder, ReminderOrder } from './process/drawing.ts';

/** Draws a receipt of one payment of an invoice, with the remaining amount of the invoice. */
export async function receiptPdf({ invoice, payment }: ReceiptOrder, means: DrawingMeans): Promise<Buffer> {
  const { strings, logo } = means;
  const draft = openDraft(invoice, `${strings.receipt} ${payment.number}`, means);
  const details: [string, string][] = [
    [strings.number, payment.number],
    [strings.paidOn, draft.date(payment.paidOn)],
    [strings.method, strings.methods[payment.method]],
  ];
  if (payment.reference !== null) details.push([strings.reference, payment.reference]);
  drawLetterhead(draft, invoice, { title: strings.receipt, state: null, logo, details });
  drawAmountPanel(draft, {
    label: strings.amountReceived,
    amount: draft.money(payment.amount),
    note: receivedFor(draft, invoice),
    payUrl: null,
  });
  drawInvoiceState(draft, invoice, payment.kept);
  if (invoice.amountRemaining === 0n) draft.write(strings.receiptDone, styles.strong);
  drawPageFeet(draft, invoice.footer);
  return await draft.close();
}

function receivedFor(draft: Draft, { number, issueDate }: InvoiceDocument): string | null {
  if (number === null || issueDate === null) return null;
  return fill(draft.strings.receiptFor, { number, date: draft.date(issueDate) });
}

/** Total, paid and remaining amount of the invoice. `kept` is the overpayment that became credit. */
function drawInvoiceState(draft: Draft, invoice: InvoiceDocument, kept = 0n): void {
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

/** Draws a reminder of an amount that is or will be due, with the ways to pay it. */
export async function reminderPdf(order: ReminderOrder, means: DrawingMeans): Promise<Buffer> {
  const { invoice, date, amountDue, dueDate } = order;
  const { strings, logo } = means;
  const draft = openDraft(invoice, `${strings.reminder} · ${strings.invoice} ${invoice.number ?? ''}`, means);
  const details: [string, string][] = [[strings.date, draft.date(date)], ...detailsOf(draft, invoice)];
  drawLetterhead(draft, invoice, { title: strings.reminder, state: null, logo, details });
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
  drawWaysToPay(draft, invoice);
  drawPageFeet(draft, invoice.footer);
  return await draft.close();
}
