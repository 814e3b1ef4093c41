import type { InvoiceBuyer, InvoiceDocument, InvoiceSeller } from '../../../core/invoice/invoice-document.ts';
import type { Picture } from '../layout/sheet.ts';

/** A payment that the invoice received. */
export interface ReceivedPayment {
  /** The printed number: the id of the payment, or of the invoice's transaction without a payment. */
  readonly number: string;
  /** The day of the payment, `YYYY-MM-DD`. */
  readonly paidOn: string;
  /** Smallest units of the invoice's currency. */
  readonly amount: bigint;
  /** The part above the remaining amount, which became the customer's credit. */
  readonly kept?: bigint;
  readonly method: 'card' | 'bank_transfer' | 'crypto' | 'mobile_money' | 'other';
  /** A bank's reference or a transaction hash. */
  readonly reference: string | null;
}

/** A receipt: the invoice after the payment, and the payment. */
export interface ReceiptOrder {
  readonly invoice: InvoiceDocument;
  readonly payment: ReceivedPayment;
}

/** A part of the money that a payment received. */
interface PrintedPart {
  readonly method: 'card' | 'bank_transfer' | 'crypto' | 'mobile_money';
  readonly rail: string | null;
  readonly chain: string | null;
  readonly asset: string;
  readonly card: { readonly brand: string; readonly last4: string } | null;
  /** The last digits of the phone that paid. Absent: not by phone. */
  readonly phone?: string | null;
  /** The amount that the payer sent, with its currency or asset. */
  readonly sent: string;
  /** Smallest units of the payment's currency. */
  readonly credited: bigint;
  readonly transaction: string | null;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** A receipt of a payment. Amounts are in the smallest units of its currency. */
export interface PaymentReceiptOrder {
  readonly seller: InvoiceSeller;
  readonly buyer: InvoiceBuyer;
  /** The payment's id. */
  readonly number: string;
  readonly livemode: boolean;
  readonly locale: string;
  readonly currency: string;
  readonly reference: string | null;
  readonly description: string | null;
  /** `YYYY-MM-DD`. */
  readonly paidOn: string;
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly amount: bigint }[];
  readonly received: bigint;
  readonly refunded: bigint;
  readonly parts: readonly PrintedPart[];
}

/** A reminder: the invoice at the time of the reminder, and the amount that is due. */
export interface ReminderOrder {
  readonly invoice: InvoiceDocument;
  /** The day of the reminder, `YYYY-MM-DD`. */
  readonly date: string;
  /** The remaining amount of the invoice, or of its instalments that are due by `dueDate`. */
  readonly amountDue: bigint;
  /** `YYYY-MM-DD`. */
  readonly dueDate: string;
}

/** A poster with a QR code that opens a payment link. */
export interface PosterOrder {
  /** The seller's name. */
  readonly name: string;
  readonly logo: Uint8Array | null;
  /** `#rrggbb`. */
  readonly primaryColor: string | null;
  readonly locale: string;
  readonly title: string;
  readonly text: string | null;
  /** Null if the payer chooses the amount. */
  readonly amount: { readonly value: bigint; readonly currency: string } | null;
  /** The content of the QR code. */
  readonly url: string;
  readonly livemode: boolean;
}

/** A document to draw, as plain data that processes can exchange. */
export type DrawingOrder =
  | { readonly kind: 'invoice'; readonly invoice: InvoiceDocument }
  | ({ readonly kind: 'receipt' } & ReceiptOrder)
  | ({ readonly kind: 'payment_receipt' } & PaymentReceiptOrder)
  | ({ readonly kind: 'reminder' } & ReminderOrder)
  | ({ readonly kind: 'poster' } & PosterOrder);

/** A message to a drawing process: the order and its prepared logo. */
export interface DrawingRequest {
  readonly order: DrawingOrder;
  readonly logo: Picture | null;
}

export type DrawingAnswer = { readonly bytes: Uint8Array } | { readonly error: string };
