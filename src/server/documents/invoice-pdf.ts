import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { attachFacturX } from './e-invoice/factur-x.ts';
import { type DocumentStrings, Draft, type DrawingMeans, styles } from './layout/draft.ts';
import { drawLetterhead, drawPageFeet } from './layout/letterhead.ts';
import { drawLineTable } from './layout/line-table.ts';
import { drawWaysToPay, isPayable, payAddress } from './layout/pay-panel.ts';
import { drawAmountPanel, drawSmallTable } from './layout/small-table.ts';
import { drawInstallments, drawTotals } from './layout/totals-block.ts';
import type { ReceiptOrder, ReminderOrder } from './process/drawing.ts';

/** Draws an invoice or a credit note, and embeds its EN 16931 XML as `attachFacturX` describes. */
export async function invoicePdf(invoice: InvoiceDocument, means: DrawingMeans): Promise<Buffer> {
  const { strings } = means;
  const title = invoice.kind === 'invoice' ? strings.invoice : strings.creditNote;
  const draft = openDraft(invoice, invoice.number === null ? title : `${title} ${invoice.number}`, means);
  drawLetterhead(draft, invoice, { title, state: stateOf(invoice, strings), details: detailsOf(draft, invoice) });
  drawSummary(draft, invoice);
  drawLineTable(draft, invoice.lines);
  drawTotals(draft, invoice);
  drawExemptions(draft, invoice);
  drawInstallments(draft, invoice);
  drawWaysToPay(draft, invoice, invoice.memo);
  drawPageFeet(draft, invoice.footer);
  attachFacturX(draft.sheet.document, invoice);
  return await draft.close();
}

/** An empty draft of a document about an invoice, in the seller's colours. */
function openDraft(invoice: InvoiceDocument, title: string, means: DrawingMeans): Draft {
  const { seller, locale, issueDate, currency } = invoice;
  const { name, primaryColor } = seller;
  return new Draft({ title, name, primaryColor, locale, currency, date: issueDate }, means);
}

function stateOf({ status, kind }: InvoiceDocument, strings: DocumentStrings): string | null {
  if (status === 'draft') return strings.draft;
  if (status === 'void') return strings.void;
  return status === 'paid' && kind === 'invoice' ? strings.installmentStatus.paid : null;
}

/** Why lines have no tax, as tax law asks for. */
function drawExemptions(draft: Draft, { lines }: InvoiceDocument): void {
  const reasons = new Set(lines.map(({ vat }) => vat?.reason ?? null).filter(reason => reason !== null));
  for (const reason of reasons) draft.write(reason, styles.second);
  if (reasons.size > 0) draft.y += 12;
}

/** Labels and values of the number, dates and references that the invoice has. */
function detailsOf(draft: Draft, invoice: InvoiceDocument): [string, string][] {
  const { strings } = draft;
  const { number, issueDate, dueDate, reference, corrects, period = null } = invoice;
  const details: [string, string | null][] = [
    [strings.number, number],
    [strings.issueDate, issueDate && draft.date(issueDate)],
    [strings.dueDate, dueDate && draft.date(dueDate)],
    [strings.reference, reference],
    [strings.buyerReference, invoice.buyerReference ?? null],
    [strings.orderNumber, invoice.orderNumber ?? null],
    [strings.deliveryDate, invoice.deliveryDate ? draft.date(invoice.deliveryDate) : null],
    [strings.servicePeriod, period && `${draft.date(period.startsOn)} – ${draft.date(period.endsOn)}`],
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
  const openLabel = amountRemaining < total ? strings.amountRemaining : strings.amountDue;
  drawAmountPanel(draft, {
    label: isOpen ? openLabel : strings.total,
    amount: draft.money(isOpen ? amountRemaining : total),
    note: isOpen ? dueNote(draft, invoice) : null,
    payUrl: isOpen ? payAddress(invoice) : null,
  });
}

/** The due date, or the first due amount of a payment plan. */
function dueNote(draft: Draft, { installments, dueDate, asked, amountRemaining }: InvoiceDocument): string | null {
  const { strings } = draft;
  const next = installments.find(({ status }) => status !== 'paid');
  const day = next?.dueDate ?? dueDate;
  if (day === null) return null;
  const date = draft.date(day);
  if (next === undefined || asked >= amountRemaining) return fill(strings.dueOn, { date });
  return fill(next.status === 'overdue' ? strings.partOverdue : strings.partDue, { amount: draft.money(asked), date });
}

/** Draws a receipt of one payment of an invoice, with the remaining amount of the invoice. */
export async function receiptPdf({ invoice, payment }: ReceiptOrder, means: DrawingMeans): Promise<Buffer> {
  const { strings } = means;
  const draft = openDraft(invoice, `${strings.receipt} ${payment.number}`, means);
  const details: [string, string][] = [
    [strings.number, payment.number],
    [strings.paidOn, draft.date(payment.paidOn)],
    [strings.method, strings.methods[payment.method]],
  ];
  if (payment.reference !== null) details.push([strings.reference, payment.reference]);
  drawLetterhead(draft, invoice, { title: strings.receipt, details });
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

/** Total, paid and remaining amount of the invoice. `kept` is the overpaid amount that became credit. */
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
    title: invoice.number === null ? strings.invoice : `${strings.invoice} ${invoice.number}`,
    head: ['', `${strings.amount} (${invoice.currency})`],
    rows,
    shares: [0.6, 0.4],
    figures: 1,
  });
  draft.y += 20;
}

/** Draws a reminder of an amount that is due now or later, and the ways to pay it. */
export async function reminderPdf(order: ReminderOrder, means: DrawingMeans): Promise<Buffer> {
  const { invoice, date, amountDue, dueDate } = order;
  const { strings } = means;
  const draft = openDraft(invoice, `${strings.reminder} · ${strings.invoice} ${invoice.number ?? ''}`, means);
  const details: [string, string][] = [[strings.date, draft.date(date)], ...detailsOf(draft, invoice)];
  drawLetterhead(draft, invoice, { title: strings.reminder, details });
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
