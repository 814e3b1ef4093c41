import type { Readable } from 'node:stream';
import type { DrawingOrder } from '../documents/drawing.ts';
import type { AnswerCreation } from '../payments/payment-create.routes.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';

/** What the invoices module is given by the composition root. */
export interface InvoiceDeps extends PaymentRouteDeps {
  /** Writes a payment that was drafted, and answers the request that asked for it. */
  readonly answerCreation: AnswerCreation;
  /** Draws a document as PDF. */
  readonly draw: (order: DrawingOrder) => Promise<Readable>;
}

/** What booking money on an invoice needs, inside the transaction of somebody else. */
export type InvoiceContext = Pick<InvoiceDeps, 'secrets' | 'publicUrl'>;
