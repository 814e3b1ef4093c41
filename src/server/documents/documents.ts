import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import type { DrawingOrder, PaymentReceiptOrder, PosterOrder, ReceiptOrder, ReminderOrder } from './process/drawing.ts';
import type { DrawingReader } from './process/pdf-cache.ts';

export { type EInvoiceField, missingForEInvoice, type XmlFormat } from './e-invoice/e-invoice-data.ts';
export { eInvoiceXml } from './e-invoice/factur-x.ts';
export { usualReason, vatCategories } from './e-invoice/factur-x-line.ts';
export { findUncovered } from './fonts/coverage.ts';
export type {
  PaymentReceiptOrder,
  PosterOrder,
  ReceiptOrder,
  ReceivedPayment,
  ReminderOrder,
} from './process/drawing.ts';
export type { DrawingReader } from './process/pdf-cache.ts';
export { qrPng, qrSvg } from './qr-code.ts';

/**
 * Draws an invoice or a credit note as PDF/A-3b, and embeds its EN 16931 XML as `attachFacturX` describes. Equal
 * documents give equal bytes. Omits an unusable logo. Rejects with the errors of `drawOnce`.
 */
export async function drawInvoice(invoice: InvoiceDocument, reader?: DrawingReader): Promise<Buffer> {
  return await draw({ kind: 'invoice', invoice }, reader);
}

/** The receipt of a payment of an invoice as PDF/A-3b. */
export async function drawReceipt(receipt: ReceiptOrder, reader?: DrawingReader): Promise<Buffer> {
  return await draw({ ...receipt, kind: 'receipt' }, reader);
}

/** The receipt of a payment as PDF/A-3b. */
export async function drawPaymentReceipt(receipt: PaymentReceiptOrder, reader?: DrawingReader): Promise<Buffer> {
  return await draw({ ...receipt, kind: 'payment_receipt' }, reader);
}

/** A reminder of an invoice as PDF/A-3b. */
export async function drawReminder(reminder: ReminderOrder, reader?: DrawingReader): Promise<Buffer> {
  return await draw({ ...reminder, kind: 'reminder' }, reader);
}

/** A payment link as an A4 poster in PDF/A-3b, with a vector QR code. */
export async function drawPoster(poster: PosterOrder, reader?: DrawingReader): Promise<Buffer> {
  return await draw({ ...poster, kind: 'poster' }, reader);
}

/** Draws a document. The drawing code needs much memory, so it is loaded with the first document. */
async function draw(order: DrawingOrder, reader: DrawingReader = {}): Promise<Buffer> {
  const { drawOnce } = await import('./process/pdf-cache.ts');
  if (order.kind === 'poster') return await drawOnce({ ...order, logo: null }, order.logo, reader);
  if (order.kind === 'payment_receipt') {
    const { logo } = order.seller;
    return await drawOnce({ ...order, seller: { ...order.seller, logo: null } }, logo?.bytes ?? null, reader);
  }
  const { seller } = order.invoice;
  const invoice = { ...order.invoice, seller: { ...seller, logo: null } };
  return await drawOnce({ ...order, invoice }, seller.logo?.bytes ?? null, reader);
}
