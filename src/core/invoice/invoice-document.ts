/**
 * Everything an invoice's reader sees, as plain data: what the PDF draws, the hosted page shows and mails quote. Money is
 * a bigint of smallest units of `currency` (or of the currency named beside it), dates are `YYYY-MM-DD` in the
 * merchant's time zone, percents are decimal text (`"19"`, `"9.975"`).
 */

/** Where an invoice stands; the machine is in `server/invoices/invoice.ts`. */
export type InvoiceStatus =
  | 'draft'
  | 'sent'
  | 'viewed'
  | 'partially_paid'
  | 'paid'
  | 'overdue'
  | 'void'
  | 'uncollectible';

/** Where an instalment stands; paid: nothing of it is left. What was credited alone is no part that was paid. */
export type InstallmentStatus = 'open' | 'partially_paid' | 'paid' | 'overdue';

/** Who sells. */
export interface InvoiceSeller {
  readonly name: string;
  /** Postal address as it is printed, a line an entry. */
  readonly addressLines: readonly string[];
  /** ISO 3166-1 alpha-2, when it is known: EN 16931 asks for it. */
  readonly country: string | null;
  readonly email: string | null;
  readonly taxId: string | null;
  /** The picture as it was given (PNG, JPEG or WebP), or null. */
  readonly logo: { readonly type: 'png' | 'jpeg' | 'webp'; readonly bytes: Uint8Array } | null;
  /** `#rrggbb`. */
  readonly primaryColor: string | null;
  /** Without blanks, in capitals. */
  readonly iban: string | null;
  readonly bic: string | null;
}

/** Who buys. */
export interface InvoiceBuyer {
  readonly name: string | null;
  readonly email: string | null;
  readonly addressLines: readonly string[];
  /** ISO 3166-1 alpha-2, when it is known. */
  readonly country: string | null;
  readonly taxId: string | null;
}

/** A tax of one line. */
export interface InvoiceLineTax {
  readonly name: string;
  readonly percent: string;
  /** Contained in the line's price, not added to it. */
  readonly inclusive: boolean;
  /** Taken on the net amount and the line's taxes before it. */
  readonly compound: boolean;
  /** The line's share of the tax; the shares of all lines sum to the tax of the invoice. */
  readonly amount: bigint;
}

/** A line. `subtotal − discount = amount`; `amount − discountShare − inclusive taxes = net`. */
export interface InvoiceDocumentLine {
  readonly description: string;
  /** Decimal text (`"2"`, `"0.75"`). */
  readonly quantity: string;
  /** What is counted (`h`, `kg`), or null: pieces. */
  readonly unit: string | null;
  readonly unitAmount: bigint;
  /** Quantity × unit amount, rounded. */
  readonly subtotal: bigint;
  /** The line's own discount; `percent` when it was given as one. */
  readonly discount: { readonly percent: string | null; readonly amount: bigint } | null;
  /** What the line shows at its end: after its own discount, before that of the invoice. */
  readonly amount: bigint;
  /** The line's share of the invoice's discount. */
  readonly discountShare: bigint;
  readonly taxes: readonly InvoiceLineTax[];
  /** Without any tax, after all discounts. */
  readonly net: bigint;
  /** With every tax, after all discounts. The lines' totals sum to the total. */
  readonly total: bigint;
}

/** One rate of tax over all its lines, for the summary. */
export interface InvoiceDocumentTax {
  readonly name: string;
  readonly percent: string;
  readonly inclusive: boolean;
  readonly compound: boolean;
  /** What the tax is taken on. */
  readonly base: bigint;
  readonly amount: bigint;
}

/** A part of the total with a date of its own. */
export interface InvoiceInstallment {
  readonly kind: 'deposit' | 'installment';
  readonly dueDate: string;
  readonly amount: bigint;
  /** Of it, what was paid, and what credit notes took off. */
  readonly amountPaid: bigint;
  readonly amountCredited: bigint;
  readonly status: InstallmentStatus;
}

/** An invoice, or a credit note upon one, as its reader sees it. */
export interface InvoiceDocument {
  readonly kind: 'invoice' | 'credit_note';
  readonly id: string;
  /** Null while it is a draft. */
  readonly number: string | null;
  readonly status: InvoiceStatus;
  readonly livemode: boolean;
  /** Null while it is a draft. */
  readonly issueDate: string | null;
  /** Null for credit notes, and for drafts that do not say. */
  readonly dueDate: string | null;
  /** Of a credit note: the invoice it is upon. */
  readonly corrects: { readonly number: string; readonly issueDate: string } | null;
  readonly reference: string | null;
  readonly seller: InvoiceSeller;
  readonly buyer: InvoiceBuyer;
  readonly currency: string;
  /** Language tag (RFC 5646) in which it is written. */
  readonly locale: string;
  readonly lines: readonly InvoiceDocumentLine[];
  /** Sum of the lines' subtotals. */
  readonly subtotal: bigint;
  /** The discount on the invoice as a whole, spread over the lines as `discountShare`. */
  readonly discount: { readonly percent: string | null; readonly amount: bigint } | null;
  /** Every discount: those of lines and that of the invoice. */
  readonly discountTotal: bigint;
  readonly taxes: readonly InvoiceDocumentTax[];
  /** Every tax. */
  readonly taxTotal: bigint;
  /** Of it, what the prices contain: `subtotal − discountTotal + taxTotal − taxIncluded = total`. */
  readonly taxIncluded: bigint;
  readonly total: bigint;
  readonly amountPaid: bigint;
  /** Taken off by credit notes. */
  readonly amountCredited: bigint;
  readonly amountRemaining: bigint;
  /** Empty when all is due at once. */
  readonly installments: readonly InvoiceInstallment[];
  /** The total in another currency, at the rate of the day it was issued. `rate`: that currency per unit of `currency`. */
  readonly exchangeRate: {
    readonly currency: string;
    readonly rate: string;
    readonly date: string;
    readonly taxTotal: bigint;
    readonly total: bigint;
  } | null;
  readonly memo: string | null;
  readonly footer: string | null;
  /** The hosted page; null while it is a draft, and for credit notes. */
  readonly payUrl: string | null;
  /** By what it can be paid. */
  readonly methods: readonly ('card' | 'bank_transfer' | 'crypto')[];
  /** What is to be paid next: the rest of the first instalment that is open, or all that remains. */
  readonly asked: bigint;
  /** The QR code with which a bank's app fills in a transfer of what is asked; null where none fits. */
  readonly bankQr: { readonly format: 'epc' | 'swiss_qr'; readonly payload: string } | null;
}
