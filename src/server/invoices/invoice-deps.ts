import type { AnswerCreation } from '../payments/checkout/payment-create.routes.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';

/** What the invoices module is given by the composition root: what payments are given. */
export type InvoiceDeps = PaymentRouteDeps;

/** What the routes of invoices are given besides. */
export interface InvoiceRouteDeps extends InvoiceDeps {
  /** Writes a payment that was drafted, and answers the request that asked for it. */
  readonly answerCreation: AnswerCreation;
}

/** Needs of booking money on an invoice, inside another module's transaction. */
export type InvoiceContext = Pick<InvoiceDeps, 'secrets' | 'publicUrl'>;
