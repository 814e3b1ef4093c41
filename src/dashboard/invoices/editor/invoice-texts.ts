import type { Customer } from '../../../api/dashboard/customer.ts';
import type { InvoiceLineInput } from '../../../api/invoice/invoice.ts';
import type { InvoiceLine, InvoicePreview } from '../../../api/invoice/invoice-view.ts';
import { decimalsOf, decimalText } from '../../../element/money-text.ts';
import { addressFields, addressText } from '../../app/typed-address.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';
import { methods } from '../../payments/payment-states.ts';

/** The typed texts of a line. `kept`: the line's taxes if the form's one rate cannot express them, otherwise null. */
export interface LineTexts {
  readonly key: number;
  readonly description: string;
  readonly quantity: string;
  readonly unit: string;
  readonly price: string;
  readonly discount: string;
  readonly tax: string;
  readonly rate: string;
  readonly inclusive: boolean;
  readonly kept: InvoiceLineInput['taxes'] | null;
  /** The VAT category. Empty: by the tax rate. */
  readonly category: string;
  /** The reason why the line has no tax. Empty: the usual words of its category. */
  readonly reason: string;
}

/** The typed texts of an instalment. */
export interface PartTexts {
  readonly key: number;
  readonly due_date: string;
  readonly share: string;
}

/** The typed texts of an invoice. `values` has texts by field name. Its `due` is `days`, `date` or `parts`. */
export interface InvoiceTexts {
  readonly values: FormTexts;
  readonly lines: readonly LineTexts[];
  readonly parts: readonly PartTexts[];
}

let keys = 0;

/** A new line. It gets the tax and category of the line above. */
export const newLine = (above?: LineTexts): LineTexts => ({
  key: ++keys,
  description: '',
  quantity: '1',
  unit: '',
  price: '',
  discount: '',
  kept: null,
  tax: above?.tax ?? 'VAT',
  rate: above?.kept ? '' : (above?.rate ?? ''),
  inclusive: above?.inclusive ?? false,
  category: above?.category ?? '',
  reason: above?.reason ?? '',
});

export const newPart = (): PartTexts => ({ key: ++keys, due_date: '', share: '' });

/** The values with which the form of a new invoice begins. Most equal the service's defaults. */
const startValues: FormTexts = {
  currency: 'EUR',
  due: 'days',
  days_until_due: '30',
  payment_methods: Object.keys(methods).join(' '),
  reminders: 'yes',
  'reminders.offsets_days': '-3, 0, 3',
};

/** The texts of a new invoice. */
export const emptyTexts = (): InvoiceTexts => ({ values: startValues, lines: [newLine()], parts: [] });

/** Stored texts with new keys, because keys are unique only until a reload. */
export const withNewKeys = ({ values, lines, parts }: InvoiceTexts): InvoiceTexts => ({
  values: { ...startValues, ...values },
  lines: lines.map(line => ({ ...newLine(), ...line, key: ++keys })),
  parts: parts.map(part => ({ ...part, key: ++keys })),
});

/** An invoice without the fields that differ between a draft and a preview. */
type Drafted = Omit<InvoicePreview, 'object' | 'warnings'>;

/** The texts of a draft or a preview. */
export function textsOf(invoice: Drafted): InvoiceTexts {
  const { customer, currency, due_date: day, days_until_due: days } = invoice;
  const parts = invoice.installments.filter(({ kind }) => kind === 'installment');
  return {
    values: {
      'customer.name': customer.name ?? '',
      'customer.email': customer.email ?? '',
      'customer.tax_id': customer.tax_id ?? '',
      ...Object.fromEntries(addressFields.map(({ name }) => [name, addressText(customer.address, name)])),
      currency,
      due: parts.length > 0 ? 'parts' : days === null ? 'date' : 'days',
      days_until_due: String(days ?? 30),
      due_date: day ?? '',
      discount: shareText(invoice.discount, currency),
      reference: invoice.reference ?? '',
      memo: invoice.memo ?? '',
      footer: invoice.footer ?? '',
      locale: invoice.locale,
      ...eInvoiceTexts(invoice),
      ...paymentTexts(invoice),
    },
    lines: invoice.lines.map(line => lineTexts(line, currency)),
    parts: parts.map(part => ({ key: ++keys, due_date: part.due_date ?? '', share: shareText(part, currency) })),
  };
}

const eInvoiceTexts = ({ buyer_reference, order_number, delivery_date, period }: Drafted): FormTexts => ({
  buyer_reference: buyer_reference ?? '',
  order_number: order_number ?? '',
  delivery_date: delivery_date ?? '',
  'period.starts_on': period?.starts_on ?? '',
  'period.ends_on': period?.ends_on ?? '',
});

const paymentTexts = ({ currency, deposit, exchange, reminders, ...invoice }: Drafted): FormTexts => ({
  deposit: shareText(deposit, currency),
  'deposit.due_date': deposit?.due_date ?? '',
  allow_partial: invoice.allow_partial ? 'yes' : '',
  payment_methods: invoice.payment_methods.join(' '),
  settlement_asset: invoice.settlement_asset,
  number_prefix: invoice.number_prefix,
  'exchange.currency': exchange?.currency ?? '',
  'exchange.rate': exchange?.rate ?? '',
  reminders: reminders.enabled ? 'yes' : '',
  'reminders.offsets_days': reminders.offsets_days.join(', '),
});

function lineTexts(line: InvoiceLine, currency: string): LineTexts {
  const [tax, ...others] = line.taxes;
  const isPlain = others.length === 0 && !tax?.compound;
  return {
    key: ++keys,
    description: line.description,
    quantity: line.quantity,
    unit: line.unit ?? '',
    price: decimalText(line.unit_amount, decimalsOf(currency)),
    discount: shareText(line.discount, currency),
    tax: tax?.name ?? 'VAT',
    rate: isPlain ? (tax?.percent ?? '') : '',
    inclusive: tax?.inclusive ?? false,
    kept: isPlain ? null : line.taxes.map(({ amount: _amount, ...each }) => each),
    category: line.vat?.category ?? '',
    reason: line.vat?.exemption_reason ?? '',
  };
}

function shareText(share: { percent: string | null; amount: number | null } | null, currency: string): string {
  if (share === null) return '';
  return share.percent === null ? decimalText(share.amount ?? 0, decimalsOf(currency)) : `${share.percent} %`;
}

/** The form's values with the customer's data, or with empty data without a customer. */
export const withCustomer = ({ values }: InvoiceTexts, customer: Customer | null): FormTexts => ({
  ...values,
  'customer.email': customer?.email ?? '',
  'customer.name': customer?.name ?? '',
  'customer.tax_id': customer?.tax_id ?? '',
  ...Object.fromEntries(addressFields.map(({ name }) => [name, addressText(customer?.address, name)])),
});
