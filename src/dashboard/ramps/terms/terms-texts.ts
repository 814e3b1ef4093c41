import type { Account } from '../../../api/merchant.ts';
import type {
  RampFee,
  RampLimit,
  RampMethod,
  RampTerms,
  UpdateRampSettings,
} from '../../../api/ramps/ramp-settings.ts';
import { parseAmount } from '../../../core/typed-amount.ts';
import { decimalsOf, decimalText } from '../../../element/money-text.ts';
import { ShownError } from '../../controls/states.ts';

/** A rule for a fee, as it is typed. `''`: every asset, method or currency. */
export interface FeeTexts {
  /** The same for the same rule, also after it moved. */
  readonly key: number;
  readonly asset: string;
  readonly method: string;
  readonly currency: string;
  readonly percent: string;
  readonly fixed: string;
}

/** A rule for a limit, as it is typed. `''`: no tier, every country, or no limit. */
export interface LimitTexts {
  readonly key: number;
  readonly tier: string;
  readonly country: string;
  readonly currency: string;
  readonly per_transaction: string;
  readonly per_day: string;
  readonly per_month: string;
}

/** The rules for ramps, as they are typed. */
export interface TermsTexts {
  readonly enabled: boolean;
  readonly assets: readonly string[];
  readonly methods: readonly RampMethod[];
  readonly fees: readonly FeeTexts[];
  readonly limits: readonly LimitTexts[];
  readonly late_money: string;
  readonly kyc: string;
}

type Settings = Account['ramps'];

/** The amounts of a limit, by their names in the API. */
const limitAmounts = ['per_transaction', 'per_day', 'per_month'] as const;

/** Decimals of a percentage. */
const percentDecimals = 2;

/** The texts of the account's rules. */
export function termsTexts({ fees, limits, ...settings }: Settings): TermsTexts {
  return { ...settings, fees: fees.map(feeTexts), limits: limits.map(limitTexts) };
}

function feeTexts({ asset, method, currency, percent, fixed = 0 }: RampFee, key: number): FeeTexts {
  return {
    key,
    asset: asset ?? '',
    method: method ?? '',
    currency: currency ?? '',
    percent: String(percent),
    fixed: fixed === 0 ? '' : decimalText(fixed, decimalsOf(currency ?? '')),
  };
}

function limitTexts({ tier, country, currency, ...amounts }: RampLimit, key: number): LimitTexts {
  const textOf = (name: (typeof limitAmounts)[number]) => {
    const amount = amounts[name];
    return amount == null ? '' : decimalText(amount, decimalsOf(currency));
  };
  return {
    key,
    tier: tier ?? '',
    country: country ?? '',
    currency,
    per_transaction: textOf('per_transaction'),
    per_day: textOf('per_day'),
    per_month: textOf('per_month'),
  };
}

const nextKey = (rules: readonly { readonly key: number }[]): number =>
  Math.max(-1, ...rules.map(({ key }) => key)) + 1;

export const newFee = (rules: readonly FeeTexts[]): FeeTexts => ({
  key: nextKey(rules),
  asset: '',
  method: '',
  currency: '',
  percent: '',
  fixed: '',
});

/** A new limit in the currency of the last one. */
export const newLimit = (rules: readonly LimitTexts[]): LimitTexts => ({
  key: nextKey(rules),
  tier: '',
  country: '',
  currency: rules.at(-1)?.currency ?? 'EUR',
  per_transaction: '',
  per_day: '',
  per_month: '',
});

/** The typed rules in the API's form. Throws ShownError for a text that is not a number, and names its field. */
export function typedTerms(texts: TermsTexts): UpdateRampSettings {
  return {
    enabled: texts.enabled,
    assets: [...texts.assets],
    methods: [...texts.methods],
    fees: texts.fees.map(typedFee),
    limits: texts.limits.map(typedLimit),
    late_money: texts.late_money as RampTerms['late_money'],
    kyc: texts.kyc as Settings['kyc'],
  };
}

function typedFee({ asset, method, currency: typed, percent, fixed }: FeeTexts, index: number): RampFee {
  const at = `ramps.fees[${index}]`;
  const currency = typed.trim().toUpperCase();
  const points = percent.trim() === '' ? 0 : parseAmount(percent, percentDecimals, '.');
  if (points === null)
    throw new ShownError('Write a number with at most two decimals, for example 1.5.', `${at}.percent`);
  if (fixed.trim() !== '' && currency === '') throw new ShownError('A fixed fee needs a currency.', `${at}.currency`);
  return {
    ...(asset !== '' && { asset }),
    ...(method !== '' && { method: method as RampMethod }),
    ...(currency !== '' && { currency }),
    percent: points / 10 ** percentDecimals,
    ...(fixed.trim() !== '' && { fixed: typedAmount(fixed, currency, `${at}.fixed`) }),
  };
}

function typedLimit({ tier, country, currency: typed, ...amounts }: LimitTexts, index: number): RampLimit {
  const at = `ramps.limits[${index}]`;
  const currency = typed.trim().toUpperCase();
  const given = limitAmounts.filter(name => amounts[name].trim() !== '');
  return {
    ...(tier !== '' && { tier: tier as NonNullable<RampLimit['tier']> }),
    ...(country !== '' && { country }),
    currency,
    ...Object.fromEntries(given.map(name => [name, typedAmount(amounts[name], currency, `${at}.${name}`)])),
  };
}

function typedAmount(text: string, currency: string, param: string): number {
  const amount = parseAmount(text, decimalsOf(currency), '.');
  if (amount !== null) return amount;
  throw new ShownError(
    `Write the amount as a number, for example ${decimalText(50_000, decimalsOf(currency))}.`,
    param,
  );
}
