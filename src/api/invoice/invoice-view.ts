import { type Static, Type } from 'typebox';
import { PaymentMethod } from '../payment.ts';
import { Amount, Metadata, Nullable, OneOf, PostalAddress, Sum, Timestamp } from '../schema.ts';
import { LineVat } from './invoice.ts';

export const InvoiceStatus = OneOf([
  'draft',
  'sent',
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
  'void',
  'uncollectible',
]);
export type InvoiceStatus = Static<typeof InvoiceStatus>;

/** A discount: its amount, and its percentage if the request had a percentage. */
const AppliedDiscount = Type.Object({ percent: Nullable(Type.String()), amount: Sum });

const LineTax = Type.Object({
  name: Type.String(),
  percent: Type.String(),
  inclusive: Type.Boolean(),
  compound: Type.Boolean(),
  amount: Sum,
});

/** A line with its amounts. */
export const InvoiceLine = Type.Object({
  description: Type.String(),
  quantity: Type.String(),
  unit: Nullable(Type.String()),
  unit_amount: Sum,
  discount: Nullable(AppliedDiscount),
  taxes: Type.Array(LineTax),
  vat: Nullable(
    Type.Object({ category: LineVat.properties.category, exemption_reason: Nullable(Type.String()) }),
    'VAT category of the e-invoice; null: by the taxes.',
  ),
  subtotal: Type.Integer({ minimum: 0, description: 'Quantity × unit amount, rounded half away from zero.' }),
  discount_total: Type.Integer({
    minimum: 0,
    description: 'The line’s own discount plus its share of the invoice’s discount.',
  }),
  tax_total: Sum,
  total: Sum,
});
export type InvoiceLine = Static<typeof InvoiceLine>;

/** A tax rate with its sums over all lines. */
export const InvoiceTaxTotal = Type.Object({
  name: Type.String(),
  percent: Type.String(),
  inclusive: Type.Boolean(),
  compound: Type.Boolean(),
  base: Type.Integer({ minimum: 0, description: 'Amount that is taxed, without the tax.' }),
  amount: Sum,
});
export type InvoiceTaxTotal = Static<typeof InvoiceTaxTotal>;

/** An instalment with its paid amount. Payments fill instalments in their order. Credit notes then cover the rest. */
export const Installment = Type.Object({
  kind: OneOf(['deposit', 'installment']),
  due_date: Nullable(Type.String(), 'Null: a deposit due on sending, before the invoice is sent.'),
  percent: Nullable(Type.String()),
  amount: Amount,
  amount_paid: Sum,
  amount_credited: Type.Integer({ minimum: 0, description: 'Part of the amount that credit notes cover.' }),
  status: OneOf(['open', 'partially_paid', 'paid', 'overdue'], {
    description: '`paid`: no amount remains. Credit alone does not make an instalment `partially_paid`.',
  }),
});
export type Installment = Static<typeof Installment>;

const arithmetic =
  'Arithmetic: quantity × unit_amount is rounded to the smallest unit of the currency, half away from zero, and so is ' +
  'every discount. A discount on the invoice is spread over the lines in proportion (largest remainder), so that each ' +
  'tax rate bears its part. A tax is computed once, on the sum of its lines, and rounded; `inclusive` taxes are ' +
  'contained in the prices. `total = subtotal − discount_total + tax_total − tax_included`, and the ' +
  'amounts of lines add up to the totals.';

export const Invoice = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('invoice'),
    status: InvoiceStatus,
    number: Nullable(Type.String(), 'Assigned on sending: the next number of the prefix, without gaps.'),
    customer: Type.Object({
      id: Nullable(Type.String()),
      name: Nullable(Type.String()),
      email: Nullable(Type.String()),
      address: Nullable(PostalAddress),
      tax_id: Nullable(Type.String()),
    }),
    currency: Type.String(),
    lines: Type.Array(InvoiceLine),
    discount: Nullable(AppliedDiscount),
    subtotal: Sum,
    discount_total: Sum,
    taxes: Type.Array(InvoiceTaxTotal),
    tax_total: Sum,
    tax_included: Type.Integer({ minimum: 0, description: 'Part of tax_total that the prices contain.' }),
    total: Sum,
    amount_paid: Sum,
    amount_credited: Type.Integer({
      minimum: 0,
      description: 'Amount by which credit notes lowered the remaining amount.',
    }),
    amount_remaining: Sum,
    amount_overpaid: Type.Integer({
      minimum: 0,
      description: 'Overpaid amount. It becomes the customer’s credit and pays the next invoice in the same currency.',
    }),
    amount_refunded: Sum,
    exchange_difference: Nullable(
      Type.Integer(),
      'Market value of crypto payments on arrival minus the amount that they paid; negative if they were worth less.',
    ),
    due_date: Nullable(Type.String()),
    days_until_due: Nullable(Type.Integer()),
    issue_date: Nullable(Type.String()),
    deposit: Nullable(
      Type.Object({
        percent: Nullable(Type.String()),
        amount: Nullable(Amount),
        due_date: Nullable(Type.String()),
      }),
    ),
    installments: Type.Array(Installment),
    allow_partial: Type.Boolean(),
    payment_methods: Type.Array(PaymentMethod),
    settlement_asset: Type.String(),
    number_prefix: Type.String(),
    reference: Nullable(Type.String()),
    buyer_reference: Nullable(Type.String()),
    order_number: Nullable(Type.String()),
    delivery_date: Nullable(Type.String()),
    period: Nullable(Type.Object({ starts_on: Type.String(), ends_on: Type.String() })),
    exchange: Nullable(
      Type.Object({
        currency: Type.String(),
        rate: Nullable(Type.String()),
        date: Nullable(Type.String()),
        total: Nullable(Sum),
        tax_total: Nullable(Sum),
      }),
    ),
    memo: Nullable(Type.String()),
    footer: Nullable(Type.String()),
    reminders: Type.Object({ enabled: Type.Boolean(), offsets_days: Type.Array(Type.Integer()) }),
    locale: Type.String(),
    hosted_invoice_url: Nullable(
      Type.String(),
      'The customer’s page to view and pay the invoice. With `?preview`, your own visit does not mark it as viewed.',
    ),
    pdf_url: Nullable(Type.String()),
    metadata: Metadata,
    livemode: Type.Boolean(),
    created_at: Timestamp,
    sent_at: Nullable(Timestamp),
    viewed_at: Nullable(Timestamp),
    paid_at: Nullable(Timestamp),
    voided_at: Nullable(Timestamp),
  },
  { description: arithmetic },
);
export type Invoice = Static<typeof Invoice>;

/** Why an invoice cannot be an e-invoice: a field without a usable value. */
export const InvoiceWarning = Type.Object({
  code: OneOf(['einvoice_unavailable', 'xrechnung_unavailable'], {
    description:
      '`einvoice_unavailable`: the PDF carries no EN 16931 XML. `xrechnung_unavailable`: there is no XRechnung, though ' +
      'the invoice has a `buyer_reference`.',
  }),
  param: Type.String({
    description: 'The field to fill. `account.…` is a field of the account, others are fields of the invoice.',
  }),
  message: Type.String(),
});
export type InvoiceWarning = Static<typeof InvoiceWarning>;

const warnings = Type.Array(InvoiceWarning, {
  description: 'Fields without which there is no EN 16931 XML, or no XRechnung. Empty: the PDF carries the XML.',
});

/**
 * Answer of `POST /v1/invoices/:id/send` and of `GET /v1/invoices/:id`. The warnings of a draft depend on the current
 * details of the account.
 */
export const SentInvoice = Type.Object({ ...Invoice.properties, warnings }, { description: arithmetic });
export type SentInvoice = Static<typeof SentInvoice>;

/** The invoice that a request would create. Nothing is written, so it has no id. */
export const InvoicePreview = Type.Object(
  { ...Type.Omit(Invoice, ['id', 'object']).properties, object: Type.Literal('invoice_preview'), warnings },
  { description: arithmetic },
);
export type InvoicePreview = Static<typeof InvoicePreview>;
