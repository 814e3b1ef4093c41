import type { Customer } from '../../api/dashboard/customer.ts';
import type { CreateInvoice, InvoiceDiscount, InvoiceLineInput } from '../../api/invoice/invoice.ts';
import type { InvoiceLine, InvoicePreview } from '../../api/invoice/invoice-view.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalsOf, decimalText } from '../../element/money-text.ts';
import { addressFields, addressText, typedAddress } from '../app/typed-address.ts';
import type { FormTexts } from '../controls/action-dialog.ts';

/** The typed texts of a line. `kept`: taxes that the form's one rate cannot express; they stay unchanged. */
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
  /** The VAT category, which the form does not show. It stays while it fits the rate. */
  readonly vat: InvoiceLineInput['vat'];
}

/** The typed texts of an instalment. */
export interface PartTexts {
  readonly key: number;
  readonly due_date: string;
  readonly share: string;
}

/** The typed texts of an invoice. `values`: by the API's field names, and `due`, the choice of `days`, `date` or `parts`. */
export interface InvoiceTexts {
  readonly values: FormTexts;
  readonly lines: readonly LineTexts[];
  readonly parts: readonly PartTexts[];
}

/** The request from the texts, and the errors of the texts by field. */
export interface TypedInvoice {
  readonly body: CreateInvoice;
  /** Messages for amounts, percentages and numbers of days that cannot be read. */
  readonly wrong: FormTexts;
  /** Messages for required fields that are empty. */
  readonly missing: FormTexts;
  /** For each line of the request: the index of the form's line. Lines without texts are omitted from the request. */
  readonly lineAt: readonly number[];
}

/** The API's fields whose errors appear beside an input of the form. */
export const invoiceFields =
  /^(customer|lines|installments|discount|due_date|days_until_due|currency|reference|memo|footer|locale)\b/;

let keys = 0;

/** A line without texts. It gets the tax of the line above. */
export const newLine = (above?: LineTexts): LineTexts => ({
  ...{ key: ++keys, description: '', quantity: '1', unit: '', price: '', discount: '', kept: null, vat: null },
  ...{ tax: above?.tax ?? 'VAT', rate: above?.kept ? '' : (above?.rate ?? ''), inclusive: above?.inclusive ?? false },
});

export const newPart = (): PartTexts => ({ key: ++keys, due_date: '', share: '' });

/** The texts of a new invoice. */
export const emptyTexts = (): InvoiceTexts => ({
  values: { currency: 'EUR', due: 'days', days_until_due: '30' },
  lines: [newLine()],
  parts: [],
});

/** Texts that were typed before a reload, with new keys. */
export const withNewKeys = ({ values, lines, parts }: InvoiceTexts): InvoiceTexts => ({
  values,
  lines: lines.map(line => ({ ...line, key: ++keys })),
  parts: parts.map(part => ({ ...part, key: ++keys })),
});

/** The texts of a draft. */
export function textsOf(invoice: Omit<InvoicePreview, 'object' | 'warnings'>): InvoiceTexts {
  const { customer, currency, due_date: day, days_until_due: days, installments } = invoice;
  const parts = installments.filter(({ kind }) => kind === 'installment');
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
      ...{ reference: invoice.reference ?? '', memo: invoice.memo ?? '', footer: invoice.footer ?? '' },
      locale: invoice.locale,
    },
    lines: invoice.lines.map(line => lineTexts(line, currency)),
    parts: parts.map(part => ({ key: ++keys, due_date: part.due_date ?? '', share: shareText(part, currency) })),
  };
}

function lineTexts(line: InvoiceLine, currency: string): LineTexts {
  const [tax, ...others] = line.taxes;
  const isPlain = others.length === 0 && !tax?.compound;
  return {
    ...{ key: ++keys, description: line.description, quantity: line.quantity, unit: line.unit ?? '' },
    price: decimalText(line.unit_amount, decimalsOf(currency)),
    discount: shareText(line.discount, currency),
    ...{ tax: tax?.name ?? 'VAT', rate: isPlain ? (tax?.percent ?? '') : '', inclusive: tax?.inclusive ?? false },
    kept: isPlain ? null : line.taxes.map(({ amount: _amount, ...each }) => each),
    vat: line.vat,
  };
}

function shareText(share: { percent: string | null; amount: number | null } | null, currency: string): string {
  if (share === null) return '';
  return share.percent === null ? decimalText(share.amount ?? 0, decimalsOf(currency)) : `${share.percent} %`;
}

/** The texts with the typed e-mail address and the known customer's data, which is empty for an unknown customer. */
export const withCustomer = ({ values }: InvoiceTexts, email: string, customer: Customer | undefined): FormTexts => ({
  ...values,
  'customer.email': email,
  'customer.name': customer?.name ?? '',
  'customer.tax_id': customer?.tax_id ?? '',
  ...Object.fromEntries(addressFields.map(({ name }) => [name, addressText(customer?.address, name)])),
});

/** The message of each field. `refused`: the service's messages. Those of `missing` appear after the first try. */
export function messagesOf(
  { wrong, missing, lineAt }: TypedInvoice,
  refused: FormTexts,
  isTried: boolean,
): (name: string) => string | undefined {
  const placed = Object.entries(refused).map(([param, message]) => {
    // The request omits lines without texts, so its line numbers differ from those of the form.
    const place = param.replace(/^lines\[(\d+)\]/, (_, at) => `lines[${lineAt[Number(at)] ?? 0}]`);
    return [place, message] as const;
  });
  const own = { ...wrong, ...(isTried ? missing : {}) };
  return name => own[name] ?? placed.find(([param]) => param === name || param.startsWith(`${name}.`))?.[1];
}

/** The request that the texts describe. */
export function typedInvoice({ values, lines, parts }: InvoiceTexts): TypedInvoice {
  const wrong: Record<string, string> = {};
  const missing: Record<string, string> = {};
  const of = (name: string) => values[name]?.trim() ?? '';
  const currency = of('currency').toUpperCase();
  const read = { currency, wrong, missing };
  const lineAt = lines.flatMap((line, index) => (isBlank(line) ? [] : index));
  if (lineAt.length === 0) missing['lines[0].description'] = 'Describe at least one line.';
  const due = of('due');
  const address = typedAddress(values);
  const text = (name: string) => of(name) || null;
  const body: CreateInvoice = {
    customer: {
      ...(of('customer.name') && { name: of('customer.name') }),
      ...(of('customer.email') && { email: of('customer.email') }),
      ...(address && { address }),
      ...(of('customer.tax_id') && { tax_id: of('customer.tax_id') }),
    },
    currency,
    lines: lineAt.map(index => typedLine(lines[index] as LineTexts, index, read)),
    discount: of('discount') === '' ? null : typedShare(of('discount'), 'discount', read),
    due_date: due === 'date' ? text('due_date') : null,
    days_until_due: due === 'days' ? wholeNumber(of('days_until_due'), 'days_until_due', wrong) : null,
    installments: due === 'parts' ? parts.map((part, index) => typedPart(part, index, read)) : [],
    ...{ reference: text('reference'), memo: text('memo'), footer: text('footer'), locale: text('locale') },
  };
  if (due === 'date' && body.due_date === null) missing['due_date'] = 'Choose a day.';
  return { body, wrong, missing, lineAt };
}

interface Reading {
  readonly currency: string;
  readonly wrong: Record<string, string>;
  readonly missing: Record<string, string>;
}

const isBlank = ({ description, price }: LineTexts) => description.trim() === '' && price.trim() === '';

function typedLine(line: LineTexts, index: number, read: Reading): InvoiceLineInput {
  const at = `lines[${index}]`;
  const price = parseAmount(line.price, decimalsOf(read.currency), '.');
  if (line.price.trim() === '') read.missing[`${at}.unit_amount`] = 'Type the price.';
  else if (price === null) read.wrong[`${at}.unit_amount`] = 'Write the price as a number, for example 42.50.';
  if (line.description.trim() === '') read.missing[`${at}.description`] = 'Say what is billed.';
  const rate = plainNumber(line.rate);
  return {
    description: line.description.trim(),
    quantity: plainNumber(line.quantity) || '1',
    ...(line.unit.trim() && { unit: line.unit.trim() }),
    unit_amount: price ?? 0,
    ...(line.discount.trim() && { discount: typedShare(line.discount, `${at}.discount`, read) }),
    ...(line.kept !== null
      ? { taxes: line.kept ?? [] }
      : rate && { tax: { name: line.tax.trim() || 'VAT', percent: rate, inclusive: line.inclusive } }),
    ...(line.vat != null && fitsRate(line, rate) && { vat: line.vat }),
  };
}

/** Whether the VAT category of the line fits its typed rate. The service refuses contradictions. */
function fitsRate({ vat, kept }: LineTexts, rate: string): boolean {
  const isTaxed = kept === null ? Number(rate) > 0 : kept?.some(({ percent }) => Number(percent) > 0);
  return (vat?.category === 'standard') === isTaxed;
}

function typedPart({ due_date: day, share }: PartTexts, index: number, read: Reading) {
  if (day === '') read.missing[`installments[${index}].due_date`] = 'Choose a day.';
  if (share.trim() === '') read.missing[`installments[${index}]`] = 'Type an amount or a percentage.';
  return { due_date: day, ...typedShare(share, `installments[${index}]`, read) };
}

/** A typed share: `10 %` is a percentage, and `5.00` is an amount. */
function typedShare(text: string, name: string, { currency, wrong }: Reading): InvoiceDiscount {
  const [, percent] = /^([\d.,]+)\s*%$/.exec(text.trim()) ?? [];
  if (percent !== undefined) return { percent: plainNumber(percent) };
  const amount = parseAmount(text, decimalsOf(currency), '.');
  if (amount === null && text.trim() !== '') wrong[name] = 'Write an amount, for example 5.00, or a percentage, 10 %.';
  return { amount: amount ?? 0 };
}

const plainNumber = (text: string): string => text.trim().replace(/\s*%$/, '').replace(',', '.');

function wholeNumber(text: string, name: string, wrong: Record<string, string>): number | null {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  wrong[name] = 'Write a number of days.';
  return null;
}
