import type { LinkChoice, PayPaymentLink } from '../../api/link.ts';
import { currencyDecimals, parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { divideRounded, formatUnits, maxWireAmount } from '../../core/money.ts';
import type { Rate } from '../../core/rate.ts';
import { type DraftPayment, draftPayment, type PaymentOrder } from '../payments/checkout/payment-create.service.ts';
import { assertRedirect } from '../payments/checkout/redirect.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { settlementUnit } from '../rates/rates.ts';
import { dueOf, type LinkRow, linkOwner, refusalOf, stateOf } from './link.ts';

type Deps = Pick<PaymentDeps, 'rates'>;

/** The link's own currency, then its other currencies. */
function currenciesOf(link: LinkRow): string[] {
  return [...new Set([link.currency, ...(link.custom_amount?.currencies ?? [])])];
}

/** The payer's choice of an amount in the link's own currency. Null if the amount is fixed. */
function ownChoice(link: LinkRow): LinkChoice | null {
  const due = dueOf(link);
  if (due !== null) {
    if (!link.allow_partial) return null;
    return { currency: link.currency, min: 1, max: Number(due), preset: Number(due), presets: [] };
  }
  const { min = null, max = null, preset = null, presets = [] } = link.custom_amount ?? {};
  return { currency: link.currency, min, max, preset, presets };
}

/**
 * The payer's choices of an amount: one for each currency, beginning with the link's own. Empty if the amount is fixed.
 * Omits currencies without a reliable rate.
 */
export async function choicesOf(deps: Deps, link: LinkRow): Promise<LinkChoice[]> {
  const own = ownChoice(link);
  if (own === null) return [];
  const others = currenciesOf(link).slice(1);
  const choices = await Promise.allSettled(others.map(currency => choiceIn(deps, link, own, currency)));
  return [own, ...choices.flatMap(choice => (choice.status === 'fulfilled' ? [choice.value] : []))];
}

/** The payer's choice of an amount in a currency. Throws `rate_unavailable` if no reliable rate is known. */
async function choiceIn(deps: Deps, link: LinkRow, own: LinkChoice, currency: string): Promise<LinkChoice> {
  return currency === link.currency ? own : exchangedChoice(own, currency, await exchangeOf(deps, link, currency));
}

/**
 * The rate from the link's currency to another, in minor units. Prices both currencies in the settlement asset, so that
 * the merchant receives about the same in each currency.
 */
async function exchangeOf({ rates }: Deps, link: LinkRow, currency: string): Promise<Rate> {
  const unit = settlementUnit(rates, link.settlement_asset);
  const [own, other] = await Promise.all([rates.find(link.currency, unit), rates.find(currency, unit)]);
  return {
    numerator: own.rate.numerator * other.rate.denominator,
    denominator: own.rate.denominator * other.rate.numerator,
  };
}

/**
 * Converts the choice to another currency. Bounds are rounded only to the minor unit. Presets are rounded to two
 * significant digits, like prices.
 */
export function exchangedChoice(choice: LinkChoice, currency: string, exchange: Rate): LinkChoice {
  const exact = (amount: number | null) => (amount === null ? null : Number(exchanged(BigInt(amount), exchange)));
  const min = exact(choice.min);
  const max = exact(choice.max);
  const offered = (amount: number) => {
    const round = Number(twoDigits(exchanged(BigInt(amount), exchange)));
    return Math.min(Math.max(round, min ?? 1), max ?? Number(maxWireAmount));
  };
  return {
    currency,
    min,
    max,
    preset: choice.preset === null ? null : offered(choice.preset),
    presets: [...new Set(choice.presets.map(offered))],
  };
}

/** The converted amount: at least one minor unit, at most the largest amount of the API. */
function exchanged(amount: bigint, { numerator, denominator }: Rate): bigint {
  const value = divideRounded(amount * numerator, denominator);
  return value < 1n ? 1n : value > maxWireAmount ? maxWireAmount : value;
}

function twoDigits(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, String(amount).length - 2));
  return divideRounded(amount, unit) * unit;
}

/**
 * Drafts a payment of a link without writing it. Throws the error of a link that is not open (`link_expired`,
 * `link_used` …), `amount_out_of_range`, or a PayError whose `param` is the invalid field.
 */
export async function draftLinkPayment(
  deps: PaymentDeps,
  caller: Caller,
  link: LinkRow,
  body: PayPaymentLink,
): Promise<DraftPayment> {
  const state = stateOf(link, caller.now);
  if (state !== 'open') throw refusalOf(state);
  const { amount, currency } = await chosenAmount(deps, link, body);
  const isWhole = amount === link.amount;
  const payment: PaymentOrder = {
    amount: Number(amount),
    currency,
    customer: body.customer,
    metadata: link.metadata,
    settlement_asset: link.settlement_asset,
    settlement_network: 'stellar',
    payment_methods: link.payment_methods,
    ...given('description', link.description),
    ...given('reference', link.reference),
    ...given('line_items', isWhole ? link.line_items : null),
    ...given('locale', link.locale),
    ...given('settlement_address', link.settlement_address),
    ...given('redirect_url', redirectOf(link, caller)),
  };
  return await draftPayment(deps, caller, payment, linkOwner(link.id));
}

function given<Name extends string, Value>(name: Name, value: Value | null): { readonly [name in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { readonly [name in Name]: Value });
}

async function chosenAmount(deps: Deps, link: LinkRow, body: PayPaymentLink) {
  const currency = body.currency === undefined ? link.currency : (parseCurrency(body.currency) ?? body.currency);
  const own = ownChoice(link);
  const known = own === null || link.allow_partial ? [link.currency] : currenciesOf(link);
  if (!known.includes(currency)) {
    const message = `This link can be paid in ${known.join(' or ')}, not in ${currency}.`;
    throw new PayError('invalid_currency', message, { param: 'currency' });
  }
  if (own === null) return { amount: assertFixed(body.amount, link), currency };
  const chosen = body.amount ?? (link.allow_partial ? (own.max ?? undefined) : undefined);
  const choice = await choiceIn(deps, link, own, currency);
  return { amount: assertChosen(chosen, choice), currency };
}

/** Rejects an amount that is missing or out of bounds. The error states the bounds, which change with the rate. */
export function assertChosen(amount: number | undefined, choice: LinkChoice): bigint {
  const { currency, min, max } = choice;
  if (amount === undefined) {
    throw new PayError('parameter_missing', 'amount is missing. The payer of this link chooses it.', {
      param: 'amount',
    });
  }
  if (!Number.isSafeInteger(amount)) {
    throw outOfRange(`amount must be a whole number of the smallest unit of ${currency}.`);
  }
  const least = min ?? 1;
  if (amount < least || (max !== null && amount > max)) {
    const text = (units: number) => `${formatUnits(BigInt(units), currencyDecimals(currency))} ${currency}`;
    throw outOfRange(`The minimum is ${text(least)}${max === null ? '' : `, the maximum ${text(max)}`}.`);
  }
  return BigInt(amount);
}

/** Rejects an amount that differs from the fixed amount. The payer may omit the amount. */
function assertFixed(amount: number | undefined, { amount: due, currency }: LinkRow): bigint {
  if (due === null) throw new RangeError('a link without an amount has a choice');
  if (amount === undefined || amount === Number(due)) return due;
  throw outOfRange(
    `This link asks for ${formatUnits(due, currencyDecimals(currency))} ${currency}, and not a part of it.`,
  );
}

function outOfRange(message: string): PayError {
  return new PayError('amount_out_of_range', message, { param: 'amount' });
}

/** The URL to which the payer returns. Null if the merchant has removed the URL from the allowed list. */
function redirectOf(link: LinkRow, { merchant, livemode }: Caller): string | null {
  if (link.redirect_url === null) return null;
  try {
    assertRedirect(link.redirect_url, merchant, livemode, 'redirect_url');
    return link.redirect_url;
  } catch {
    return null;
  }
}
