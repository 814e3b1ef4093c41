import type { CreateInvoice, InvoiceDiscount, InvoiceLineInput, LineVat } from '../../../api/invoice/invoice.ts';
import type { PaymentMethod } from '../../../api/payment.ts';
import { parseAmount } from '../../../core/typed-amount.ts';
import { decimalsOf } from '../../../element/money-text.ts';
import { typedAddress } from '../../app/typed-address.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';
import { isUntaxed, vatWords } from '../invoice-words.ts';
import type { InvoiceTexts, LineTexts, PartTexts } from './invoice-texts.ts';

/** The request from the texts, and the errors of the texts by field. */
export interface TypedInvoice {
  readonly body: CreateInvoice;
  /** Messages for texts that the form does not accept, such as an amount that is not a number. */
  readonly wrong: FormTexts;
  /** Messages for required fields that are empty. */
  readonly missing: FormTexts;
  /** For each line of the request, the index of the form's line. The request omits lines without texts. */
  readonly lineAt: readonly number[];
}

/** The values of the form, and the error messages that were found so far. */
interface Reading {
  readonly currency: string;
  /** The text of a value without outer blanks. Empty for a missing value. */
  readonly of: (name: string) => string;
  readonly wrong: Record<string, string>;
  readonly missing: Record<string, string>;
}

/** Reads the texts of the form into a request and error messages. */
export function typedInvoice({ values, lines, parts }: InvoiceTexts): TypedInvoice {
  const of = (name: string) => values[name]?.trim() ?? '';
  const read: Reading = { currency: of('currency').toUpperCase(), of, wrong: {}, missing: {} };
  const { wrong, missing } = read;
  const lineAt = lines.flatMap((line, index) => (isBlank(line) ? [] : index));
  if (lineAt.length === 0) missing['lines[0].description'] = 'Describe at least one line.';
  const due = of('due');
  const text = (name: string) => of(name) || null;
  const body: CreateInvoice = {
    customer: typedCustomer(values, of),
    currency: read.currency,
    lines: lineAt.map(index => typedLine(lines[index] as LineTexts, index, read)),
    discount: of('discount') === '' ? null : typedShare(of('discount'), 'discount', read),
    due_date: due === 'date' ? text('due_date') : null,
    days_until_due: due === 'days' ? wholeNumber(of('days_until_due'), 'days_until_due', wrong) : null,
    installments: due === 'parts' ? parts.map((part, index) => typedPart(part, index, read)) : [],
    reference: text('reference'),
    memo: text('memo'),
    footer: text('footer'),
    locale: text('locale'),
    buyer_reference: text('buyer_reference'),
    order_number: text('order_number'),
    delivery_date: text('delivery_date'),
    period: typedPeriod(read),
    settlement_asset: text('settlement_asset'),
    number_prefix: text('number_prefix'),
    ...typedPayment(read),
  };
  if (due === 'date' && body.due_date === null) missing['due_date'] = 'Choose a day.';
  return { body, wrong, missing, lineAt };
}

function typedCustomer(values: FormTexts, of: Reading['of']): CreateInvoice['customer'] {
  const address = typedAddress(values);
  return {
    ...(of('customer.name') && { name: of('customer.name') }),
    ...(of('customer.email') && { email: of('customer.email') }),
    ...(address && { address }),
    ...(of('customer.tax_id') && { tax_id: of('customer.tax_id') }),
  };
}

function typedPeriod({ of, missing }: Reading) {
  const days = { starts_on: of('period.starts_on'), ends_on: of('period.ends_on') };
  if (days.starts_on === '' && days.ends_on === '') return null;
  if (days.starts_on === '') missing['period.starts_on'] = 'Choose the first day.';
  if (days.ends_on === '') missing['period.ends_on'] = 'Choose the last day.';
  return days;
}

function typedPayment(read: Reading) {
  const { of, wrong, missing } = read;
  const methods = of('payment_methods').split(' ').filter(Boolean) as PaymentMethod[];
  if (methods.length === 0) wrong['payment_methods'] = 'Choose at least one way to pay.';
  const [deposit, day, rate] = [of('deposit'), of('deposit.due_date'), of('exchange.rate')];
  const currency = of('exchange.currency').toUpperCase();
  if (deposit === '' && day !== '') missing['deposit'] = 'Type an amount or a percentage.';
  if (currency === '' && rate !== '') missing['exchange.currency'] = 'Type the currency.';
  return {
    deposit: deposit === '' ? null : { ...typedShare(deposit, 'deposit', read), ...(day !== '' && { due_date: day }) },
    allow_partial: of('allow_partial') === 'yes',
    payment_methods: methods,
    exchange: currency === '' ? null : { currency, ...(rate !== '' && { rate: plainNumber(rate) }) },
    reminders: { enabled: of('reminders') === 'yes', offsets_days: typedOffsets(read) },
  };
}

function typedOffsets({ of, wrong }: Reading): number[] {
  const days = of('reminders.offsets_days')
    .replaceAll('\u2212', '-')
    .split(/[\s,;]+/)
    .filter(Boolean);
  if (!days.every(day => /^[+-]?\d{1,3}$/.test(day))) {
    wrong['reminders.offsets_days'] = 'Write days, for example -3, 0, 3.';
  }
  return [...new Set(days.map(Number))];
}

const isBlank = ({ description, price }: LineTexts) => description.trim() === '' && price.trim() === '';

function typedLine(line: LineTexts, index: number, read: Reading): InvoiceLineInput {
  const at = `lines[${index}]`;
  const price = parseAmount(line.price, decimalsOf(read.currency), '.');
  if (line.price.trim() === '') read.missing[`${at}.unit_amount`] = 'Type the price.';
  else if (price === null) read.wrong[`${at}.unit_amount`] = 'Write the price as a number, for example 42.50.';
  if (line.description.trim() === '') read.missing[`${at}.description`] = 'Say what is billed.';
  if (line.category === 'standard' && line.kept === null && !(Number(plainNumber(line.rate)) > 0)) {
    read.missing[`${at}.tax.percent`] = 'Type the rate.';
  }
  const [, usualReason] = vatWords(line.category);
  const reason = usualReason === '' ? '' : line.reason.trim();
  return {
    description: line.description.trim(),
    quantity: plainNumber(line.quantity) || '1',
    ...(line.unit.trim() && { unit: line.unit.trim() }),
    unit_amount: price ?? 0,
    ...(line.discount.trim() && { discount: typedShare(line.discount, `${at}.discount`, read) }),
    ...typedTaxes(line),
    ...(line.category !== '' && {
      vat: { category: line.category as LineVat['category'], ...(reason !== '' && { exemption_reason: reason }) },
    }),
  };
}

/** The taxes of a line. Omits taxes above 0 % if the category has no tax: the service refuses such a combination. */
function typedTaxes(line: LineTexts): Pick<InvoiceLineInput, 'tax' | 'taxes'> {
  const { kept, inclusive } = line;
  const mayHave = (percent: string | number) => !isUntaxed(line.category) || Number(percent) === 0;
  if (kept) return { taxes: kept.filter(({ percent }) => mayHave(percent)) };
  const percent = plainNumber(line.rate);
  return percent !== '' && mayHave(percent) ? { tax: { name: line.tax.trim() || 'VAT', percent, inclusive } } : {};
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
