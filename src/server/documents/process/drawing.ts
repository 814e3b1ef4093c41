import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import type { Picture } from '../layout/sheet.ts';

/** Money that arrived for an invoice. */
export interface ReceivedPayment {
  /** Printed number: the payment's id, or the number of a receipt. */
  readonly number: string;
  /** `YYYY-MM-DD`, the day it was paid. */
  readonly paidOn: string;
  /** Smallest units of the invoice's currency. */
  readonly amount: bigint;
  /** The part above the remaining amount, which became the customer's credit. */
  readonly kept?: bigint;
  readonly method: 'card' | 'bank_transfer' | 'crypto' | 'other';
  /** A bank's reference or a transaction hash. */
  readonly reference: string | null;
}

/** A receipt: the invoice as it stands after the payment, and the payment. */
export interface ReceiptOrder {
  readonly invoice: InvoiceDocument;
  readonly payment: ReceivedPayment;
}

/** A reminder: the invoice as it stands, and the amount that is due. */
export interface ReminderOrder {
  readonly invoice: InvoiceDocument;
  /** `YYYY-MM-DD`, the day it is written. */
  readonly date: string;
  /** The remaining amount of the invoice or of an instalment. */
  readonly amountDue: bigint;
  /** `YYYY-MM-DD`. */
  readonly dueDate: string;
}

/** A page to hang up: a code that opens a payment link. */
export interface PosterOrder {
  /** The seller's name. */
  readonly name: string;
  readonly logo: Uint8Array | null;
  /** `#rrggbb`. */
  readonly primaryColor: string | null;
  readonly locale: string;
  readonly title: string;
  readonly text: string | null;
  /** Null: the payer chooses. */
  readonly amount: { readonly value: bigint; readonly currency: string } | null;
  /** The content of the code. */
  readonly url: string;
  readonly livemode: boolean;
}

/** A document to draw, as plain data that is sent between processes. */
export type DrawingOrder =
  | { readonly kind: 'invoice'; readonly invoice: InvoiceDocument }
  | ({ readonly kind: 'receipt' } & ReceiptOrder)
  | ({ readonly kind: 'reminder' } & ReminderOrder)
  | ({ readonly kind: 'poster' } & PosterOrder);

/** A message to a drawing process: the order and its prepared logo. */
export interface DrawingRequest {
  readonly order: DrawingOrder;
  readonly logo: Picture | null;
}

/** The answer of a drawing process. */
export type DrawingAnswer = { readonly bytes: Uint8Array } | { readonly error: string };
