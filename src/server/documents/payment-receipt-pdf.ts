import { partName } from '../../core/locale/part-name.ts';
import { Draft, type DrawingMeans, styles } from './layout/draft.ts';
import { drawLetterhead, drawPageFeet } from './layout/letterhead.ts';
import { drawAmountPanel, drawSmallTable } from './layout/small-table.ts';
import type { PaymentReceiptOrder } from './process/drawing.ts';

/** Draws the receipt of a payment: the parties, what was bought, and each part of the money. */
export async function paymentReceiptPdf(order: PaymentReceiptOrder, means: DrawingMeans): Promise<Buffer> {
  const { seller, number, locale, currency, paidOn } = order;
  const { strings } = means;
  const title = `${strings.receipt} ${number}`;
  const { name, primaryColor } = seller;
  const draft = new Draft({ title, name, primaryColor, locale, currency, date: paidOn }, means);
  const details: [string, string][] = [
    [strings.number, number],
    [strings.paidOn, draft.date(paidOn)],
  ];
  if (order.reference !== null) details.push([strings.reference, order.reference]);
  drawLetterhead(draft, order, { title: strings.receipt, details });
  drawAmountPanel(draft, {
    label: strings.amountReceived,
    amount: draft.money(order.received),
    note: order.description,
    payUrl: null,
  });
  drawItems(draft, order);
  drawParts(draft, order);
  drawRefund(draft, order);
  drawPageFeet(draft, null);
  return await draft.close();
}

function drawItems(draft: Draft, { items, currency }: PaymentReceiptOrder): void {
  if (items.length === 0) return;
  const { strings } = draft;
  drawSmallTable(draft, {
    title: strings.description,
    head: ['', strings.quantity, `${strings.amount} (${currency})`],
    rows: items.map(({ name, quantity, amount }) => [name, draft.number(String(quantity)), draft.money(amount)]),
    shares: [0.6, 0.15, 0.25],
    figures: 2,
  });
  draft.y += 20;
}

/** Draws a row for each part. If a part arrived in another currency or asset, a column shows the sent amounts. */
function drawParts(draft: Draft, { parts, currency }: PaymentReceiptOrder): void {
  const { strings } = draft;
  const isConverted = parts.some(({ asset }) => asset !== currency);
  drawSmallTable(draft, {
    title: strings.method,
    head: ['', strings.date, ...(isConverted ? [strings.sent] : []), `${strings.amount} (${currency})`],
    rows: parts.map(part => [
      [partName(part, strings.methods), part.transaction].filter(text => text !== null).join('\n'),
      draft.date(part.day),
      ...(isConverted ? [part.sent] : []),
      draft.money(part.credited),
    ]),
    shares: isConverted ? [0.4, 0.2, 0.22, 0.18] : [0.5, 0.25, 0.25],
    figures: isConverted ? 2 : 1,
  });
  draft.y += 20;
}

function drawRefund(draft: Draft, { refunded }: PaymentReceiptOrder): void {
  if (refunded > 0n) draft.write(`${draft.strings.refunded}: ${draft.money(refunded)}`, styles.strong);
}
