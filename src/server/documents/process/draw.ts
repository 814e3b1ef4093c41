import { direction } from '../../../core/locale/locale.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { invoicePdf, receiptPdf, reminderPdf } from '../invoice-pdf.ts';
import { paymentReceiptPdf } from '../payment-receipt-pdf.ts';
import { posterPdf } from '../poster-pdf.ts';
import type { DrawingRequest } from './drawing.ts';

/** Draws the requested document as a PDF/A-3b file in the calling process. `order` describes the document. */
export async function draw({ order, logo }: DrawingRequest): Promise<Buffer> {
  const { locale } = 'invoice' in order ? order.invoice : order;
  const resources = { strings: await stringsFor('document', locale), direction: direction(locale), logo };
  switch (order.kind) {
    case 'invoice':
      return await invoicePdf(order.invoice, resources);
    case 'receipt':
      return await receiptPdf(order, resources);
    case 'payment_receipt':
      return await paymentReceiptPdf(order, resources);
    case 'reminder':
      return await reminderPdf(order, resources);
    case 'poster':
      return await posterPdf(order, resources);
  }
}
