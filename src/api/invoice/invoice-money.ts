import { type Static, Type } from 'typebox';
import { PaymentMethod } from '../payment.ts';
import { Amount, Closed, Metadata, Nullable, OneOf, PayingCustomer, Sum, Timestamp } from '../schema.ts';
import { type Invoice, InvoiceTaxTotal } from './invoice-view.ts';

/** Body of `POST /v1/invoices/:id/payments`. */
export const PayInvoice = Closed({
  amount: Type.Optional(Amount),
  payment_methods: Type.Optional(Type.Array(PaymentMethod, { minItems: 1, maxItems: 4, uniqueItems: true })),
  redirect_url: Type.Optional(Type.String({ maxLength: 2048 })),
  customer: Type.Optional(PayingCustomer),
});
export type PayInvoice = Static<typeof PayInvoice>;

/** Body of `POST /v1/invoices/:id/record-payment`, which records money received elsewhere. */
export const RecordPayment = Closed({
  amount: Type.Optional(Amount),
  method: Type.Optional(OneOf(['bank_transfer', 'cash', 'cheque', 'card', 'other'])),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  paid_at: Type.Optional(Timestamp),
});
export type RecordPayment = Static<typeof RecordPayment>;

/** A change of the amount owed on an invoice. */
export const InvoiceTransaction = Type.Object({
  id: Type.String(),
  object: Type.Literal('invoice_transaction'),
  invoice: Type.String(),
  type: OneOf(['payment', 'recorded_payment', 'credit_note', 'credit_applied', 'refund', 'dispute']),
  amount: Type.Integer({
    description:
      'Amount by which the transaction lowered the amount owed. Refunds are negative; failed refunds are positive.',
  }),
  amount_overpaid: Type.Integer({ description: 'Overpaid amount, which became credit.' }),
  currency: Type.String(),
  payment: Nullable(Type.String()),
  credit_note: Nullable(Type.String()),
  method: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  exchange_difference: Nullable(Type.Integer()),
  livemode: Type.Boolean(),
  paid_at: Timestamp,
  created_at: Timestamp,
});
export type InvoiceTransaction = Static<typeof InvoiceTransaction>;

/** A line of the invoice to credit. Without quantity and amount: the uncredited rest of the line. */
export const CreditNoteLineInput = Closed({
  line: Type.Integer({ minimum: 0, description: 'Position of the line in `lines` of the invoice, from 0.' }),
  quantity: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Number()], {
      description: 'Part of the line’s quantity, up to 6 decimals. Its share of the line is credited, tax included.',
    }),
  ),
  amount: Type.Optional(Type.Integer({ ...Amount, description: 'Amount to credit of the line, tax included.' })),
});
export type CreditNoteLineInput = Static<typeof CreditNoteLineInput>;

/** A tax rate to credit, with all its lines. Without amount: the uncredited rest of these lines. */
export const CreditNoteRate = Closed({
  percent: Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Number()], {
    description: 'The rate, as in `taxes` of the invoice. 0 without a name also means lines without tax.',
  }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: 'Only taxes of this name.' })),
  amount: Type.Optional(Type.Integer({ ...Amount, description: 'Amount to credit of these lines, tax included.' })),
});
export type CreditNoteRate = Static<typeof CreditNoteRate>;

/**
 * Body of `POST /v1/invoices/:id/credit-notes`. Give at most one of `amount`, `lines` and `rates`. Without them,
 * credits the uncredited rest of the invoice.
 */
export const CreateCreditNote = Closed({
  amount: Type.Optional(
    Type.Integer({
      ...Amount,
      description: 'Amount to credit, tax included. It reverses the taxes of all lines in proportion.',
    }),
  ),
  lines: Type.Optional(
    Type.Array(CreditNoteLineInput, {
      minItems: 1,
      maxItems: 1000,
      description: 'Lines to credit. Only the taxes of these lines are reversed.',
    }),
  ),
  rates: Type.Optional(
    Type.Array(CreditNoteRate, { minItems: 1, maxItems: 20, description: 'Tax rates whose lines to credit.' }),
  ),
  reason: Type.Optional(
    OneOf(['duplicate', 'fraudulent', 'order_change', 'product_unsatisfactory', 'requested_by_customer', 'other']),
  ),
  memo: Type.Optional(Type.String({ maxLength: 2000 })),
  metadata: Type.Optional(Metadata),
});
export type CreateCreditNote = Static<typeof CreateCreditNote>;

/** A line that a credit note names, and its credited part. */
export const CreditNoteLine = Type.Object({
  line: Type.Integer({ minimum: 0, description: 'Position of the line in `lines` of the invoice, from 0.' }),
  quantity: Nullable(Type.String(), 'The credited quantity; null when an amount of the line is credited.'),
  tax_total: Type.Integer({ minimum: 0, description: 'Tax of the line that is reversed.' }),
  amount: Type.Integer({ description: 'Amount credited of the line, tax included.' }),
});
export type CreditNoteLine = Static<typeof CreditNoteLine>;

/**
 * A correction of an invoice. It first lowers the remaining amount, and then covers refunds that had no credit note.
 * The rest becomes customer credit.
 */
export const CreditNote = Type.Object({
  id: Type.String(),
  object: Type.Literal('credit_note'),
  number: Type.String(),
  invoice: Type.String(),
  currency: Type.String(),
  amount: Amount,
  lines: Type.Array(CreditNoteLine, {
    description: 'The lines that the note names. Empty for a note over an amount, which is divided over all lines.',
  }),
  taxes: Type.Array(InvoiceTaxTotal),
  tax_total: Sum,
  amount_to_credit: Type.Integer({
    minimum: 0,
    description: 'Part that had already been paid; it became the customer’s credit.',
  }),
  reason: Nullable(Type.String()),
  memo: Nullable(Type.String()),
  pdf_url: Type.String(),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type CreditNote = Static<typeof CreditNote>;

/** The effects that a credit note would have. Nothing is written. */
export const CreditNotePreview = Type.Object({
  object: Type.Literal('credit_note_preview'),
  invoice: Type.String(),
  currency: Type.String(),
  amount: Amount,
  lines: Type.Array(CreditNoteLine, { description: 'Every line that is credited, with its part.' }),
  taxes: Type.Array(InvoiceTaxTotal),
  tax_total: Sum,
  amount_off: Type.Integer({ minimum: 0, description: 'Amount by which less remains to be paid.' }),
  amount_to_credit: Type.Integer({ minimum: 0, description: 'Amount that becomes the customer’s credit.' }),
  amount_for_refunds: Type.Integer({ minimum: 0, description: 'Amount that was already refunded without a note.' }),
  creditable: Type.Object(
    {
      amount: Sum,
      lines: Type.Array(
        Type.Object({
          line: Type.Integer({ minimum: 0, description: 'Position of the line, from 0.' }),
          quantity: Type.String({ description: 'Quantity that no note names yet.' }),
          amount: Sum,
        }),
      ),
    },
    { description: 'What is left to credit before this note: of the invoice, and of each line.' },
  ),
});
export type CreditNotePreview = Static<typeof CreditNotePreview>;

/** Credit of a customer. It pays the customer's next invoice in the same currency, when that invoice is sent. */
export const CustomerCredit = Type.Object({
  id: Type.String({ description: 'One id for each holder and currency; it does not change with the amount.' }),
  object: Type.Literal('customer_credit'),
  customer: Nullable(
    Type.String(),
    'Null when the invoice that made the credit has no e-mail address of its customer.',
  ),
  invoice: Nullable(
    Type.String(),
    'The invoice that holds the credit when `customer` is null. Refunds of its payments lower the credit.',
  ),
  currency: Type.String(),
  amount: Sum,
  livemode: Type.Boolean(),
});
export type CustomerCredit = Static<typeof CustomerCredit>;

/** Events of invoices and credit notes, and the object that each carries. */
export interface InvoiceEvents {
  'invoice.created': Invoice;
  'invoice.sent': Invoice;
  'invoice.viewed': Invoice;
  'invoice.partially_paid': Invoice;
  'invoice.paid': Invoice;
  'invoice.overdue': Invoice;
  'invoice.reopened': Invoice;
  'invoice.reminder_sent': Invoice;
  'invoice.mail_failed': Invoice;
  'invoice.voided': Invoice;
  'invoice.uncollectible': Invoice;
  'invoice.overpaid': Invoice;
  'invoice.updated': Invoice;
  'credit_note.created': CreditNote;
}
