import { type CreateInvoice, type InvoiceCustomer, mostTextCharacters } from '../../../api/invoice/invoice.ts';
import { isDay } from '../../../core/calendar.ts';
import { parseCurrency, readCurrency } from '../../../core/currency.ts';
import { isEmail } from '../../../core/email.ts';
import { PayError } from '../../../core/error.ts';
import { formatPercent, parseDecimal, rateDecimals } from '../../../core/invoice/invoice-decimal.ts';
import { planInstallments } from '../../../core/invoice/invoice-installments.ts';
import {
  calculateInvoice,
  type Discount,
  type InvoiceLineTerms,
  type InvoiceTotals,
} from '../../../core/invoice/invoice-totals.ts';
import { isLocale } from '../../../core/locale/locale.ts';
import { maxWireAmount } from '../../../core/money.ts';
import { numberPrefix, plainAddress } from '../../merchants/account.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Rates } from '../../rates/rates.ts';
import type { DraftColumns } from '../invoice.store.ts';
import type { BilledCustomer, KeptDeposit, KeptDetails, KeptExchange, PlannedPart } from '../tables.ts';
import { lineTerms, lineToWire, percentText, shareInput, shareTerms, taxToWire, wrong } from './invoice-terms.ts';

/** Dependencies of the check of an invoice. */
export interface DraftContext {
  readonly merchant: Merchant;
  readonly livemode: boolean;
  readonly rates: Pick<Rates, 'listedAsset'>;
  readonly secrets: Pick<Secrets, 'customerId'>;
  /** The currencies of the draft that is changed. It keeps them even after they were withdrawn. */
  readonly usedCurrencies?: readonly string[];
}

const defaultDays = 30;
const allMethods = ['card', 'bank_transfer', 'crypto', 'mobile_money'] as const;

/** Checks a draft and computes its amounts. Throws a PayError that names the wrong field. */
export function draftInvoice(context: DraftContext, body: CreateInvoice): DraftColumns {
  assertDrawable(body);
  const currency = currencyOf(context, body.currency, 'currency');
  const customer = customerOf(body.customer);
  const { merchant, livemode, secrets } = context;
  const amounts = amountColumns(body);
  return {
    number_prefix: numberPrefix(body.number_prefix ?? merchant.invoicePrefix, 'number_prefix'),
    customer_id: customer.email === null ? null : secrets.customerId(merchant.id, livemode, customer.email),
    customer,
    currency,
    ...amounts,
    days_until_due: amounts.due_date === null ? (body.days_until_due ?? defaultDays) : null,
    allow_partial: body.allow_partial ?? false,
    payment_methods: [...(body.payment_methods ?? allMethods)],
    settlement_asset: assetOf(context, body),
    exchange: exchangeOf(context, body, currency),
    reminders: {
      enabled: body.reminders?.enabled ?? true,
      offsets_days: (body.reminders?.offsets_days ?? [-3, 0, 3]).toSorted((a, b) => a - b),
    },
    locale: localeOf(body.locale ?? merchant.locale),
    details: detailsOf(body),
    reference: textOrNull(body.reference),
    memo: body.memo ?? null,
    footer: body.footer ?? null,
    metadata: body.metadata ?? {},
  };
}

function amountColumns(body: CreateInvoice) {
  const terms = body.lines.map(lineTerms);
  const discount = body.discount == null ? null : shareTerms(body.discount, 'discount');
  const totals = calculateInvoice(terms, discount);
  assertDiscounts(terms, discount, totals);
  assertExact(totals.subtotal > totals.total ? totals.subtotal : totals.total);
  const lines = body.lines.map((line, index) => {
    const [lineTerm, calculated] = [terms[index], totals.lines[index]];
    if (lineTerm === undefined || calculated === undefined) throw new Error('a line has no amounts');
    return lineToWire(line, lineTerm, calculated);
  });
  return {
    lines,
    taxes: totals.taxes.map(taxToWire),
    discount: discount && { percent: percentText(discount), amount: Number(totals.discount) },
    subtotal: totals.subtotal,
    discount_total: totals.discountTotal,
    tax_total: totals.taxTotal,
    tax_included: totals.taxIncluded,
    total: totals.total,
    ...planColumns(body, totals.total),
  };
}

function detailsOf({ delivery_date, period, ...body }: CreateInvoice): KeptDetails {
  const [buyerReference, orderNumber] = [textOrNull(body.buyer_reference), textOrNull(body.order_number)];
  if (delivery_date != null) assertDay(delivery_date, 'delivery_date');
  if (period != null) {
    assertDay(period.starts_on, 'period.starts_on');
    assertDay(period.ends_on, 'period.ends_on');
    if (period.ends_on < period.starts_on) throw wrong('period.ends_on', 'must not be before period.starts_on.');
  }
  return {
    ...(buyerReference !== null && { buyer_reference: buyerReference }),
    ...(orderNumber !== null && { order_number: orderNumber }),
    ...(delivery_date != null && { delivery_date }),
    ...(period != null && { period }),
  };
}

/** Refuses a discount above the amount that it reduces, instead of lowering the discount silently. */
function assertDiscounts(
  terms: readonly InvoiceLineTerms[],
  discount: Discount | null,
  { lines, discount: applied, subtotal, discountTotal }: InvoiceTotals,
): void {
  for (const [index, { discount: own }] of terms.entries()) {
    const amount = lines[index]?.subtotal ?? 0n;
    if (own === null || !('amount' in own) || own.amount <= amount) continue;
    throw wrong(`lines[${index}].discount.amount`, `is ${own.amount}, above the line’s amount of ${amount}.`);
  }
  if (discount === null || !('amount' in discount) || discount.amount === applied) return;
  const rest = subtotal - discountTotal + applied;
  throw wrong('discount.amount', `is ${discount.amount}, above the ${rest} that the discounts of lines leave.`);
}

function planColumns(body: CreateInvoice, total: bigint) {
  const installments = body.installments ?? [];
  for (const [index, { due_date: day }] of installments.entries()) assertDay(day, `installments[${index}].due_date`);
  const dueDate = dueDateOf(body);
  const deposit = depositOf(body);
  const plan = planInstallments(total, {
    deposit: deposit && { dueDate: deposit.due_date, share: shareTerms(shareInput(deposit), 'deposit') },
    installments: installments.map((installment, index) => ({
      dueDate: installment.due_date,
      share: shareTerms(installment, `installments[${index}]`),
    })),
    dueDate,
  });
  return {
    due_date: dueDate,
    deposit,
    installments,
    plan: plan.map(
      ({ kind, dueDate: day, percent, amount }): PlannedPart => ({
        kind,
        due_date: day,
        amount: Number(amount),
        percent: percent === null ? null : formatPercent(percent),
      }),
    ),
  };
}

/** The due date of the last instalment, unless the request gives a later date. */
function dueDateOf({ due_date: dueDate, installments = [] }: CreateInvoice): string | null {
  const last = installments.at(-1)?.due_date;
  if (dueDate == null) return last ?? null;
  assertDay(dueDate, 'due_date');
  if (last !== undefined && dueDate < last) throw wrong('due_date', 'must not be before the last installment.');
  return dueDate;
}

function depositOf({ deposit }: CreateInvoice): KeptDeposit | null {
  if (deposit == null) return null;
  const share = shareTerms(deposit, 'deposit');
  if (deposit.due_date !== undefined) assertDay(deposit.due_date, 'deposit.due_date');
  return {
    percent: percentText(share),
    amount: 'amount' in share ? Number(share.amount) : null,
    due_date: deposit.due_date ?? null,
  };
}

function assertDay(text: string, param: string): void {
  if (!isDay(text)) throw wrong(param, 'takes a date, YYYY-MM-DD.');
}

/** Throws if a JSON number cannot represent the amount exactly. */
function assertExact(amount: bigint): void {
  if (amount <= maxWireAmount) return;
  const message = `The amount of the invoice is too large: at most ${maxWireAmount} minor units.`;
  throw new PayError('invalid_amount', message, { param: 'lines' });
}

function currencyOf({ usedCurrencies = [] }: DraftContext, text: string, param: string): string {
  return usedCurrencies.includes(text) ? text : readCurrency(text, param);
}

function customerOf({ name, email, address, tax_id: taxId }: InvoiceCustomer): BilledCustomer {
  if (email !== undefined && !isEmail(email)) {
    const message = `“${email.slice(0, 80)}” is not an e-mail address.`;
    throw new PayError('invalid_email', message, { param: 'customer.email' });
  }
  return {
    name: textOrNull(name),
    email: email ?? null,
    address: address === undefined ? null : plainAddress(address),
    tax_id: textOrNull(taxId),
  };
}

function textOrNull(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function assetOf({ rates, merchant }: DraftContext, { settlement_asset: asset }: CreateInvoice): string {
  if (asset == null) return merchant.settlementAsset;
  const currency = parseCurrency(asset);
  // Whether the destination can receive it is checked when a payment begins.
  if (currency !== null && merchant.settlementDestination !== null) return currency;
  rates.listedAsset(asset, 'settlement_asset');
  return asset;
}

function exchangeOf(context: DraftContext, { exchange }: CreateInvoice, currency: string): KeptExchange | null {
  if (exchange == null) return null;
  const other = currencyOf(context, exchange.currency, 'exchange.currency');
  if (other === currency) throw wrong('exchange.currency', 'must differ from the currency of the invoice.');
  const rate = exchange.rate === undefined ? null : parseDecimal(exchange.rate, rateDecimals);
  if (exchange.rate !== undefined && (rate === null || rate === 0n)) {
    throw wrong('exchange.rate', `takes a number above 0 with up to ${rateDecimals} decimals.`);
  }
  const text = exchange.rate === undefined ? null : String(exchange.rate);
  return { currency: other, rate: text, date: null, total: null, tax_total: null };
}

function localeOf(locale: string): string {
  if (isLocale(locale)) return locale;
  throw wrong('locale', 'takes a language tag like en or ar-EG (RFC 5646).');
}

/** Rejects texts that are too long for a PDF. After sending it would be too late: a numbered invoice never changes. */
function assertDrawable({ customer, lines, reference, memo, footer }: CreateInvoice): void {
  const texts = [customer.name, customer.tax_id, ...Object.values(customer.address ?? {}), reference, memo, footer];
  for (const { description, unit, tax, taxes = [], vat } of lines) {
    texts.push(description, unit, vat?.exemption_reason, tax?.name, ...taxes.map(({ name }) => name));
  }
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (length <= mostTextCharacters) return;
  const most = `all texts of an invoice together may have ${mostTextCharacters} characters, line ends included`;
  throw wrong('lines', `contain too much text: ${most}. They have ${length}.`);
}
