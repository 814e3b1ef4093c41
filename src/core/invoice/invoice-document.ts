/**
 * The content of an invoice as plain data, for the PDF, the hosted page and mails. Money is a bigint of smallest units
 * of `currency`, unless another currency is named. Dates are `YYYY-MM-DD` in the merchant's time zone. Percents are
 * decimal text (`"19"`, `"9.975"`).
 */

/** Status of an invoice. The state machine is in `server/invoices/invoice.ts`. */
export type InvoiceStatus =
  | 'draft'
  | 'sent'
  | 'viewed'
  | 'partially_paid'
  | 'paid'
  | 'overdue'
  | 'void'
  | 'uncollectible';

/** Status of an instalment. `paid`: nothing remains. `partially_paid` needs a payment; a credit alone is not enough. */
export type InstallmentStatus = 'open' | 'partially_paid' | 'paid' | 'overdue';

/** A postal address by its parts; a part that is not known is null. */
export interface DocumentAddress {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
}

/** The VAT treatment of a line (EN 16931, BT-151). */
export type VatCategory = 'standard' | 'zero' | 'exempt' | 'reverse_charge' | 'intra_eu' | 'export' | 'outside_scope';

export interface InvoiceSeller {
  readonly name: string;
  /** The lines of the printed postal address. */
  readonly addressLines: readonly string[];
  /** The parts of the address. Absent: only its lines are known. */
  readonly address?: DocumentAddress | null;
  /** ISO 3166-1 alpha-2, when known. EN 16931 requires it. */
  readonly country: string | null;
  readonly email: string | null;
  readonly taxId: string | null;
  /** The entry in a commercial register. */
  readonly legalRegistration?: string | null;
  /** The person whom the buyer may ask. */
  readonly contact?: { readonly name: string; readonly phone: string | null; readonly email: string | null } | null;
  /** The original picture, or null. */
  readonly logo: { readonly type: 'png' | 'jpeg' | 'webp'; readonly bytes: Uint8Array } | null;
  /** `#rrggbb`. */
  readonly primaryColor: string | null;
  /** In capitals, without blanks. */
  readonly iban: string | null;
  readonly bic: string | null;
}

export interface InvoiceBuyer {
  readonly name: string | null;
  readonly email: string | null;
  readonly addressLines: readonly string[];
  /** The parts of the address. Absent: only its lines are known. */
  readonly address?: DocumentAddress | null;
  /** ISO 3166-1 alpha-2, when known. */
  readonly country: string | null;
  readonly taxId: string | null;
}

/** A tax of one line. */
export interface InvoiceLineTax {
  readonly name: string;
  readonly percent: string;
  /** Whether the line's price contains the tax. Otherwise the tax is added to the price. */
  readonly inclusive: boolean;
  /** Whether the tax also applies to the line's earlier taxes, not only to the net amount. */
  readonly compound: boolean;
  /** The line's share of the tax. The shares of all lines sum to the invoice's tax. */
  readonly amount: bigint;
}

/** A line. `subtotal − discount − discountShare − inclusive taxes = net`. */
export interface InvoiceDocumentLine {
  readonly description: string;
  /** Decimal text (`"2"`, `"0.75"`). */
  readonly quantity: string;
  /** The unit of the quantity (`h`, `kg`). Null: pieces. */
  readonly unit: string | null;
  readonly unitAmount: bigint;
  /** Quantity × unit amount, rounded. The document shows this amount in the line. */
  readonly subtotal: bigint;
  /** The line's own discount. `percent` is null if the discount was given as an amount. */
  readonly discount: { readonly percent: string | null; readonly amount: bigint } | null;
  /** The line's share of the invoice's discount. */
  readonly discountShare: bigint;
  readonly taxes: readonly InvoiceLineTax[];
  /** The VAT treatment. Null or absent: it follows from the taxes. */
  readonly vat?: { readonly category: VatCategory; readonly reason: string | null } | null;
  /** Without any tax, after all discounts. */
  readonly net: bigint;
  /** With all taxes, after all discounts. The lines' totals sum to the invoice's total. */
  readonly total: bigint;
}

/** One tax rate over all its lines, for the summary. */
export interface InvoiceDocumentTax {
  readonly name: string;
  readonly percent: string;
  readonly inclusive: boolean;
  readonly compound: boolean;
  /** The amount that is taxed. */
  readonly base: bigint;
  readonly amount: bigint;
}

/** A part of the total with a separate due date. */
export interface InvoiceInstallment {
  readonly kind: 'deposit' | 'installment';
  readonly dueDate: string;
  readonly amount: bigint;
  readonly amountPaid: bigint;
  readonly amountCredited: bigint;
  readonly status: InstallmentStatus;
}

/** An invoice, or a credit note for an invoice. */
export interface InvoiceDocument {
  readonly kind: 'invoice' | 'credit_note';
  readonly id: string;
  /** Null for a draft. */
  readonly number: string | null;
  readonly status: InvoiceStatus;
  readonly livemode: boolean;
  /** Null for a draft. */
  readonly issueDate: string | null;
  /** Null for credit notes, and for drafts without a due date. */
  readonly dueDate: string | null;
  /** The invoice that a credit note corrects. */
  readonly corrects: { readonly number: string; readonly issueDate: string } | null;
  readonly reference: string | null;
  /** The buyer's own reference (BT-10), such as a German Leitweg-ID. */
  readonly buyerReference?: string | null;
  /** The number of the buyer's order (BT-13). */
  readonly orderNumber?: string | null;
  /** `YYYY-MM-DD` (BT-72). */
  readonly deliveryDate?: string | null;
  /** First and last day of the service (BG-14). */
  readonly period?: { readonly startsOn: string; readonly endsOn: string } | null;
  readonly seller: InvoiceSeller;
  readonly buyer: InvoiceBuyer;
  readonly currency: string;
  /** Tag of the document's language (RFC 5646). */
  readonly locale: string;
  readonly lines: readonly InvoiceDocumentLine[];
  /** Sum of the lines' subtotals. */
  readonly subtotal: bigint;
  /** The discount on the whole invoice. The lines share it as `discountShare`. */
  readonly discount: { readonly percent: string | null; readonly amount: bigint } | null;
  /** The discounts of all lines and of the invoice. */
  readonly discountTotal: bigint;
  readonly taxes: readonly InvoiceDocumentTax[];
  readonly taxTotal: bigint;
  /** The part of `taxTotal` that prices contain: `subtotal − discountTotal + taxTotal − taxIncluded = total`. */
  readonly taxIncluded: bigint;
  readonly total: bigint;
  readonly amountPaid: bigint;
  /** The amount of all credit notes. */
  readonly amountCredited: bigint;
  readonly amountRemaining: bigint;
  /** Empty if the whole total is due at once. */
  readonly installments: readonly InvoiceInstallment[];
  /**
   * The totals in a second currency, at the rate of `date`. `rate`: second currency per unit of the invoice's currency.
   */
  readonly exchangeRate: {
    readonly currency: string;
    readonly rate: string;
    readonly date: string;
    readonly taxTotal: bigint;
    readonly total: bigint;
  } | null;
  readonly memo: string | null;
  readonly footer: string | null;
  /** The hosted page. Null for drafts and credit notes. */
  readonly payUrl: string | null;
  readonly methods: readonly ('card' | 'bank_transfer' | 'crypto' | 'mobile_money')[];
  /** The amount to pay next: the open part of the first open instalment, or the whole remaining amount. */
  readonly asked: bigint;
  /** The QR code of a bank transfer of `asked`. Null if the buyer cannot pay by bank transfer, or if no format fits. */
  readonly bankQr: { readonly format: 'epc' | 'swiss_qr'; readonly payload: string } | null;
  /** The issued XML. Null: the PDF embeds no XML. Absent: the XML is made from this document. */
  readonly xml?: string | null;
}

/** The amounts that changed the customer's debt on an invoice, in minor units of its currency. */
export interface InvoiceHistory {
  /** All received money, including overpayments. */
  readonly received: bigint;
  /** The part of overpayments and credit notes that became customer credit. */
  readonly creditKept: bigint;
  /** The amount that customer credit paid. */
  readonly creditUsed: bigint;
  /** The last received money, for which there is a receipt. Used credit has no receipt. */
  readonly lastReceived: { readonly paidOn: string; readonly amount: bigint } | null;
  readonly creditNotes: readonly { readonly id: string; readonly number: string }[];
}
