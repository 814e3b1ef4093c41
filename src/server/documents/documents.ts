import type { InvoiceDocument } from '../../core/invoice/invoice-document.ts';
import type { DrawingOrder, PosterOrder, ReceiptOrder, ReminderOrder } from './process/drawing.ts';
import type { DrawingWish } from './process/pdf-cache.ts';

export type { PosterOrder, ReceiptOrder, ReceivedPayment, ReminderOrder } from './process/drawing.ts';
export type { DrawingWish } from './process/pdf-cache.ts';
export { qrPng, qrSvg } from './qr-code.ts';

/**
 * An invoice or a credit note as PDF/A-3b, with its EN 16931 XML inside (Factur-X, ZUGFeRD) once it has a number. The
 * same document gives the same bytes. Rejects as `drawOnce` does; an unusable logo is left out.
 */
export async function drawInvoice(invoice: InvoiceDocument, wish?: DrawingWish): Promise<Buffer> {
  return await draw({ kind: 'invoice', invoice }, wish);
}

/** The receipt of a payment of an invoice as PDF/A-3b. */
export async function drawReceipt(receipt: ReceiptOrder, wish?: DrawingWish): Promise<Buffer> {
  return await draw({ ...receipt, kind: 'receipt' }, wish);
}

/** A reminder of an invoice as PDF/A-3b. */
export async function drawReminder(reminder: ReminderOrder, wish?: DrawingWish): Promise<Buffer> {
  return await draw({ ...reminder, kind: 'reminder' }, wish);
}

/** A payment link as an A4 poster, PDF/A-3b, its code in vectors. */
export async function drawPoster(poster: PosterOrder, wish?: DrawingWish): Promise<Buffer> {
  return await draw({ ...poster, kind: 'poster' }, wish);
}

/** Draws the order, whose logo is prepared apart. The first document loads the program, which saves memory without documents. */
async function draw(order: DrawingOrder, wish: DrawingWish = {}): Promise<Buffer> {
  const { drawOnce } = await import('./process/pdf-cache.ts');
  if (order.kind === 'poster') return await drawOnce({ ...order, logo: null }, order.logo, wish);
  const { seller } = order.invoice;
  const invoice = { ...order.invoice, seller: { ...seller, logo: null } };
  return await drawOnce({ ...order, invoice }, seller.logo?.bytes ?? null, wish);
}
