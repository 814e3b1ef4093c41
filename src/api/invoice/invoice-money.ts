import { type Static, Type } from 'typebox';
import { PaymentMethod } from '../payment.ts';
import { Amount, Closed, Metadata, Nullable, OneOf, PayingCustomer, Sum, Timestamp } from '../schema.ts';
import { type Invoice, InvoiceTaxTotal } from './invoice-view.ts';

/** Body of `POST /v1/invoices/:id/payments`. */
export const PayInvoice = Closed({
  amount: Type.Optional(Amount),
  payment_methods: Type.Optional(Type.Array(PaymentMethod, { minItems: 1, maxItems: 3, uniqueItems: true })),
  redirect_url: Type.Optional(Type.String({ maxLength: 2048 })),
  customer: Type.Optional(PayingCustomer),
});
export type PayInvoice = Static<typeof PayInvoice>;

/** Body of `POST /v1/invoices/:id/record-payment`: money received elsewhere. */
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
  type: OneOf(['payment', 'recorded_payment', 'credit_note', 'credit_applied', 'refund']),
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

/** Body of `POST /v1/invoices/:id/credit-notes`. Without `amount`: the amount that is not credited yet. */
export const CreateCreditNote = Closed({
  amount: Type.Optional(Amount),
  reason: Type.Optional(
    OneOf(['duplicate', 'fraudulent', 'order_change', 'product_unsatisfactory', 'requested_by_customer', 'other']),
  ),
  memo: Type.Optional(Type.String({ maxLength: 2000 })),
  metadata: Type.Optional(Metadata),
});
export type CreateCreditNote = Static<typeof CreateCreditNote>;

/** A correction of an invoice. It lowers the amount still to pay; what exceeds that amount becomes customer credit. */
export const CreditNote = Type.Object({
  id: Type.String(),
  object: Type.Literal('credit_note'),
  number: Type.String(),
  invoice: Type.String(),
  currency: Type.String(),
  amount: Amount,
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

/** Credit of a customer. It pays the customer's next invoice in the same currency when that invoice is sent. */
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
  'invoice.reminder_sent': Invoice;
  'invoice.mail_failed': Invoice;
  'invoice.voided': Invoice;
  'invoice.uncollectible': Invoice;
  'invoice.overpaid': Invoice;
  'invoice.updated': Invoice;
  'credit_note.created': CreditNote;
}
