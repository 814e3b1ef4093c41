import type { MobileMoneyOption, PaymentOptions } from '../../../api/payment.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import type { MobileMoneyMarket } from '../../../core/mobile-money/markets.ts';
import { mobileMoneyNames } from '../../../core/mobile-money/names.ts';
import { divideUp, formatUnits } from '../../../core/money.ts';
import { convertUp, type Rate } from '../../../core/rate.ts';
import { callingCode } from '../../platform/phone-number.ts';
import type { CollectingRail } from '../../rails/mobile-money/collecting.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';

type Priced = Pick<PaymentRow, 'currency' | 'amount' | 'amount_received'>;

/** The operator's name, for people. */
export function operatorName(id: string): string {
  return mobileMoneyNames[id] ?? id;
}

/** The operators that collect in the payment's mode. */
export function operatorsFor(
  { rails }: Pick<PaymentDeps, 'rails'>,
  { livemode }: Pick<PaymentRow, 'livemode'>,
): readonly CollectingRail[] {
  return rails.phones.filter(phone => phone.livemode === livemode);
}

/** The rate from the payment's currency to the market's. Null if they are the same. Throws `rate_unavailable`. */
export async function rateFor(
  { rates }: Pick<PaymentDeps, 'rates'>,
  { currency }: Priced,
  market: MobileMoneyMarket,
): Promise<Rate | null> {
  return currency === market.currency ? null : (await rates.find(currency, market.currency)).rate;
}

/**
 * The amount of a prompt for the rest of the payment, in minor units of the market's currency. Rounded up to the
 * market's step.
 */
export function promptAmount(
  { amount, amount_received: received }: Priced,
  market: MobileMoneyMarket,
  rate: Rate | null,
): bigint {
  const due = amount - received;
  return divideUp(rate === null ? due : convertUp(due, rate), market.step) * market.step;
}

function isWithin(amount: bigint, { least, most }: MobileMoneyMarket): boolean {
  return amount >= least && amount <= most;
}

/** Throws `amount_out_of_range` unless the operator collects the amount in one prompt. */
export function assertCollectable(amount: bigint, market: MobileMoneyMarket): void {
  if (isWithin(amount, market)) return;
  const { provider, least, most, currency } = market;
  const text = (units: bigint) => `${formatUnits(units, currencyDecimals(currency))} ${currency}`;
  const limit = amount < least ? `at least ${text(least)}` : `at most ${text(most)}`;
  const message = `${operatorName(provider)} collects ${limit} at once, and ${text(amount)} is to be paid. Choose another operator or method.`;
  throw new PayError('amount_out_of_range', message, { param: 'provider' });
}

/**
 * The operators and countries that can collect the rest of the payment now, those in the payment's currency first. Omits
 * markets whose limits exclude the amount, or that have no current rate.
 */
export async function mobileMoneyOptions(
  deps: Pick<PaymentDeps, 'rails' | 'rates'>,
  payment: PaymentRow,
): Promise<NonNullable<PaymentOptions['mobile_money']> | null> {
  const operators = operatorsFor(deps, payment);
  if (operators.length === 0) return null;
  const rows = await Promise.all(
    operators.flatMap(({ markets }) => markets).map(async market => await optionOf(deps, payment, market)),
  );
  const isOwn = ({ currency }: MobileMoneyOption) => currency === payment.currency;
  const offered = rows.flatMap(row => row ?? []);
  return { operators: offered.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a))) };
}

async function optionOf(
  deps: Pick<PaymentDeps, 'rates'>,
  payment: PaymentRow,
  market: MobileMoneyMarket,
): Promise<MobileMoneyOption | null> {
  const rate = await rateFor(deps, payment, market).catch(undefinedWithoutRate);
  const amount = rate === undefined ? 0n : promptAmount(payment, market, rate);
  if (!isWithin(amount, market)) return null;
  const { provider, country, currency, prefixes, least, most } = market;
  return {
    provider,
    name: operatorName(provider),
    country,
    calling_code: callingCode(country),
    prefixes: [...prefixes],
    amount: Number(amount),
    currency,
    min: Number(least),
    max: Number(most),
  };
}

function undefinedWithoutRate(error: unknown): undefined {
  if (error instanceof PayError && error.code === 'rate_unavailable') return undefined;
  throw error;
}
