import { type Static, type TOptional, type TProperties, Type } from 'typebox';
import { UpdateAccount } from '../merchant.ts';
import { PaymentMethod } from '../payment.ts';
import { Amount, Closed, Currency, Day, Email, Metadata, Nullable, OneOf, PostalAddress, Sum } from '../schema.ts';

/** A decimal: text (`"33.33"`), or a JSON number. A value with too many decimals is refused and never rounded. */
const Decimal = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Number()], { description });

const Percent = Decimal('Percent, 0 to 100 with up to 4 decimals.');

/** A discount: either a percentage or an amount. */
export const InvoiceDiscount = Closed({ percent: Type.Optional(Percent), amount: Type.Optional(Amount) });
export type InvoiceDiscount = Static<typeof InvoiceDiscount>;

/** A tax on a line. */
export const InvoiceTax = Closed({
  name: Type.String({ minLength: 1, maxLength: 60 }),
  percent: Percent,
  inclusive: Type.Optional(
    Type.Boolean({ description: 'The price contains the tax. Default: the tax is added to the price.' }),
  ),
  compound: Type.Optional(
    Type.Boolean({ description: 'Computed on the net amount plus the taxes listed before this one (a tax on tax).' }),
  ),
});
export type InvoiceTax = Static<typeof InvoiceTax>;

/** The VAT treatment of a line, for the e-invoice. */
export const LineVat = Closed({
  category: OneOf(['standard', 'zero', 'exempt', 'reverse_charge', 'intra_eu', 'export', 'outside_scope'], {
    description: '`standard` needs a tax above 0 %; the others allow none.',
  }),
  exemption_reason: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 200 }),
      'Why there is no tax, printed and in the XML. Default: the usual words of the category. Not with `standard` or `zero`.',
    ),
  ),
});
export type LineVat = Static<typeof LineVat>;

/** First and last day of a service. */
export const ServicePeriod = Closed({ starts_on: Day, ends_on: Day });
export type ServicePeriod = Static<typeof ServicePeriod>;

/** A requested line. */
export const InvoiceLineInput = Closed({
  description: Type.String({ minLength: 1, maxLength: 2000 }),
  quantity: Type.Optional(Decimal('More than 0, up to 6 decimals. Default 1.')),
  unit: Type.Optional(Type.String({ minLength: 1, maxLength: 20, description: 'Unit of the quantity: h, kg, m² …' })),
  unit_amount: Sum,
  discount: Type.Optional(InvoiceDiscount),
  tax: Type.Optional(InvoiceTax),
  taxes: Type.Optional(Type.Array(InvoiceTax, { maxItems: 5, description: 'Several taxes; instead of `tax`.' })),
  vat: Type.Optional(Nullable(LineVat, 'VAT category of the e-invoice. Default: by the taxes of the line.')),
});
export type InvoiceLineInput = Static<typeof InvoiceLineInput>;

/**
 * The billed customer. Without an e-mail address here or in `SendInvoice`, the invoice is not mailed. The merchant must
 * then share its link.
 */
export const InvoiceCustomer = Closed({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 250 })),
  email: Type.Optional(Email),
  address: Type.Optional(PostalAddress),
  tax_id: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
});
export type InvoiceCustomer = Static<typeof InvoiceCustomer>;

/** A requested instalment: an amount, or a percentage of the total without the deposit and the fixed amounts. */
export const InstallmentInput = Closed({
  due_date: Day,
  percent: Type.Optional(Percent),
  amount: Type.Optional(Amount),
});
export type InstallmentInput = Static<typeof InstallmentInput>;

/** Reminders to the customer: days before (negative) and after the due date. */
export const InvoiceReminders = Closed({
  enabled: Type.Optional(Type.Boolean()),
  offsets_days: Type.Optional(
    Type.Array(Type.Integer({ minimum: -365, maximum: 365 }), { maxItems: 20, uniqueItems: true }),
  ),
});
export type InvoiceReminders = Static<typeof InvoiceReminders>;

/**
 * Largest total length of an invoice's texts, in UTF-16 units including line ends. In any writing system, such an
 * invoice takes less than half of the allowed time and memory to draw.
 */
export const mostTextCharacters = 80_000;

const fields = {
  customer: InvoiceCustomer,
  currency: Currency,
  lines: Type.Array(InvoiceLineInput, {
    minItems: 1,
    maxItems: 1000,
    description: `All texts of the invoice together may have ${mostTextCharacters} characters, line ends included.`,
  }),
  discount: Nullable(InvoiceDiscount, 'Discount on the whole invoice, after the discounts of lines.'),
  due_date: Nullable(Day),
  days_until_due: Nullable(
    Type.Integer({ minimum: 0, maximum: 3650 }),
    'Without `due_date`: days from sending to the due date. Default 30.',
  ),
  deposit: Nullable(
    Closed({ percent: Type.Optional(Percent), amount: Type.Optional(Amount), due_date: Type.Optional(Day) }),
    'First part to pay, due on sending without `due_date`. Percentages of instalments divide the amount that remains.',
  ),
  installments: Type.Array(InstallmentInput, { maxItems: 60 }),
  allow_partial: Type.Boolean({ description: 'Whether the customer may choose to pay any part. Default false.' }),
  payment_methods: Type.Array(PaymentMethod, { minItems: 1, maxItems: 4, uniqueItems: true }),
  settlement_asset: Nullable(Type.String({ minLength: 1, maxLength: 70 }), 'Default: the account’s.'),
  number_prefix: Nullable(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9/_-]{0,19}$' }),
    'Prefix of the invoice number. Default: the account’s.',
  ),
  reference: Nullable(Type.String({ minLength: 1, maxLength: 200 }), 'Order number, yours or the buyer’s.'),
  buyer_reference: Nullable(
    Type.String({ minLength: 1, maxLength: 200 }),
    'The buyer’s own reference (BT-10), such as a Leitweg-ID. XRechnung needs it.',
  ),
  order_number: Nullable(Type.String({ minLength: 1, maxLength: 200 }), 'Number of the buyer’s order (BT-13).'),
  delivery_date: Nullable(Day, 'Day of the delivery (BT-72).'),
  period: Nullable(ServicePeriod, 'First and last day of the service (BG-14).'),
  exchange: Nullable(
    Closed({
      currency: Currency,
      rate: Type.Optional(Decimal('Units of that currency per unit of the invoice’s currency; up to 10 decimals.')),
    }),
    'Also show the total in this currency. Default rate: the market’s at sending.',
  ),
  memo: Nullable(Type.String({ maxLength: 2000 })),
  footer: Nullable(Type.String({ maxLength: 2000 })),
  reminders: InvoiceReminders,
  locale: Nullable(
    Type.String({ maxLength: 35 }),
    'Language of the page, mails and the PDF: en, ar or ja, also with a region. Others print in English. Default: the account’s.',
  ),
  metadata: Metadata,
} as const;

/** Body of `PATCH /v1/invoices/:id`. Absent fields stay unchanged. A list in the request replaces the old list. */
export const UpdateInvoice = Closed(allOptional(fields));
export type UpdateInvoice = Static<typeof UpdateInvoice>;

/** Body of `POST /v1/invoices`. */
export const CreateInvoice = Closed({
  ...allOptional(fields),
  customer: fields.customer,
  currency: fields.currency,
  lines: fields.lines,
});
export type CreateInvoice = Static<typeof CreateInvoice>;

function allOptional<F extends TProperties>(properties: F) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as { [K in keyof F]: TOptional<F[K]> };
}

/** Body of `POST /v1/invoices/preview/pdf`: an invoice, and branding to preview. */
export const BrandedInvoice = Closed({ ...CreateInvoice.properties, branding: UpdateAccount.properties.branding });
export type BrandedInvoice = Static<typeof BrandedInvoice>;

/** Body of `POST /v1/invoices/:id/send`. */
export const SendInvoice = Closed({
  email: Type.Optional(
    Type.String({
      ...Email,
      description:
        'Address for this mail. Default: the customer’s. If the invoice has none, later mails go there, too, and a draft ' +
        'prints it as the customer’s. Otherwise later mails still go to the address that the invoice has.',
    }),
  ),
});
export type SendInvoice = Static<typeof SendInvoice>;
