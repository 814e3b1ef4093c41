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
export async function drawInvoice(invoice: InvoiceDocument, wish: DrawingWish = {}): Promise<Buffer> {
  return await draw({ kind: 'invoice', invoice: withoutLogo(invoice) }, logoOf(invoice), wish);
}

/** The receipt of a payment of an invoice as PDF/A-3b. */
export async function drawReceipt({ invoice, payment }: ReceiptOrder, wish: DrawingWish = {}): Promise<Buffer> {
  return await draw({ kind: 'receipt', invoice: withoutLogo(invoice), payment }, logoOf(invoice), wish);
}

/** A reminder of an invoice as PDF/A-3b. */
export async function drawReminder(reminder: ReminderOrder, wish: DrawingWish = {}): Promise<Buffer> {
  const { invoice } = reminder;
  return await draw({ ...reminder, kind: 'reminder', invoice: withoutLogo(invoice) }, logoOf(invoice), wish);
}

/** A payment link as an A4 poster, PDF/A-3b, its code in vectors. */
export async function drawPoster(poster: PosterOrder, wish: DrawingWish = {}): Promise<Buffer> {
  return await draw({ ...poster, kind: 'poster', logo: null }, poster.logo, wish);
}

/** Drawing is loaded with the first document, which saves memory on servers without documents. */
async function draw(order: DrawingOrder, logo: Uint8Array | null, wish: DrawingWish): Promise<Buffer> {
  const { drawOnce } = await import('./process/pdf-cache.ts');
  return await drawOnce(order, logo, wish);
}

function logoOf({ seller }: InvoiceDocument): Uint8Array | null {
  return seller.logo?.bytes ?? null;
}

function withoutLogo(invoice: InvoiceDocument): InvoiceDocument {
  return { ...invoice, seller: { ...invoice.seller, logo: null } };
}
