import { fill } from '../../core/locale/locale.ts';
import { drawAmountPanel } from './amount-panel.ts';
import { styles } from './draft.ts';
import type { ReminderOrder } from './drawing.ts';
import { type DrawingMeans, detailsOf, openDraft } from './invoice-pdf.ts';
import { drawLetterhead } from './letterhead.ts';
import { drawPageFeet } from './page-foot.ts';
import { drawPayPanels, payAddress } from './pay-panel.ts';
import { closeFile } from './pdf-file.ts';
import { drawInvoiceState } from './receipt-pdf.ts';
import { drawSwissBill } from './swiss-bill.ts';
import { drawInstallments } from './totals-block.ts';

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
