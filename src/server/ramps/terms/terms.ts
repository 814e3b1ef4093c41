import type { KycTier } from '../../../api/kyc/kyc.ts';
import type {
  RampFee,
  RampLimit,
  RampMethod,
  RampTerms,
  UpdateRampSettings,
} from '../../../api/ramps/ramp-settings.ts';
import { formatAsset } from '../../../core/asset.ts';
import { readCurrency } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { reachesTier } from '../../../core/kyc/tiers.ts';
import { parseUnits } from '../../../core/money.ts';
import type { RampFee as FeeRule } from '../../../core/ramp/price.ts';
import type { Rates } from '../../rates/rates.ts';

/** The terms of an account that has set none. */
export const defaultTerms: RampTerms = {
  enabled: false,
  assets: [],
  methods: [],
  fees: [],
  limits: [],
  late_money: 'market',
};

/** Decimals of a percentage. A basis point is a hundredth of a percent. */
const percentDecimals = 2;

/** The changed terms, with assets by their full names. Throws a PayError that names the first wrong field. */
export function changedTerms(
  rates: Pick<Rates, 'listedAsset'>,
  current: RampTerms,
  { kyc: _, ...body }: UpdateRampSettings,
): RampTerms {
  const assetOf = (text: string, param: string) => formatAsset(rates.listedAsset(text, param));
  const { assets, fees, limits } = body;
  return {
    ...current,
    ...body,
    ...(assets && { assets: [...new Set(assets.map((asset, at) => assetOf(asset, `ramps.assets[${at}]`)))] }),
    ...(fees && { fees: fees.map((fee, at) => checkedFee(fee, assetOf, `ramps.fees[${at}]`)) }),
    ...(limits && { limits: limits.map((limit, at) => checkedLimit(limit, `ramps.limits[${at}]`)) }),
  };
}

function checkedFee(fee: RampFee, assetOf: (text: string, param: string) => string, at: string): RampFee {
  const { asset, currency, percent, fixed = 0 } = fee;
  if (parseUnits(String(percent), percentDecimals) === null) {
    throw wrong(`${at}.percent`, 'takes at most two decimals.');
  }
  if (fixed > 0 && currency == null) throw wrong(`${at}.currency`, 'is missing. A fixed fee needs a currency.');
  return {
    ...fee,
    ...(asset != null && { asset: assetOf(asset, `${at}.asset`) }),
    ...(currency != null && { currency: readCurrency(currency, `${at}.currency`) }),
  };
}

function checkedLimit(limit: RampLimit, at: string): RampLimit {
  const { country, currency } = limit;
  return {
    ...limit,
    currency: readCurrency(currency, `${at}.currency`),
    ...(country != null && { country: country.toUpperCase() }),
  };
}

function wrong(param: string, message: string): PayError {
  return new PayError('parameter_invalid', `${param} ${message}`, { param });
}

/** What a customer wants to buy, and how. */
export interface Wanted {
  readonly asset: string;
  readonly method: RampMethod;
  readonly currency: string;
}

/** The fee of a purchase: the first rule that fits, or none. */
export function feeRuleFor({ fees }: RampTerms, wanted: Wanted): FeeRule {
  const fits = (value: string | null | undefined, own: string) => value == null || value === own;
  const found = fees.find(
    ({ asset, method, currency }) =>
      fits(asset, wanted.asset) && fits(method, wanted.method) && fits(currency, wanted.currency),
  );
  if (found === undefined) return { basisPoints: 0, fixed: 0n };
  const basisPoints = Number(parseUnits(String(found.percent), percentDecimals));
  return { basisPoints, fixed: BigInt(found.fixed ?? 0) };
}

/** Why the account offers no ramp of the asset by the method, in words for the merchant. Null if it does. */
export function offerFault({ enabled, assets, methods }: RampTerms, { asset, method }: Omit<Wanted, 'currency'>) {
  if (!enabled) {
    return new PayError(
      'operation_not_allowed',
      'The account offers no ramps. Set ramps.enabled of the account to true.',
    );
  }
  const names = assets.map(name => name.split(':')[0]).join(', ');
  if (!assets.includes(asset)) {
    const message = `The account sells ${names || 'no assets'}. Use one of them, or add the asset to ramps.assets.`;
    return new PayError('asset_not_listed', message, { param: 'asset' });
  }
  if (methods.includes(method)) return null;
  const message = `Customers pay ramps by ${methods.join(', ') || 'no method'}. Use one of them, or add ${method} to ramps.methods.`;
  return new PayError('payment_method_not_allowed', message, { param: 'method' });
}

/** Throws if the account offers no ramp of the asset by the method. */
export function assertOffered(terms: RampTerms, wanted: Omit<Wanted, 'currency'>): void {
  const fault = offerFault(terms, wanted);
  if (fault !== null) throw fault;
}

/** A customer, as limits see it. `tier`: the approved tier. `country`: ISO 3166-1 alpha-2, or null. */
export interface LimitedCustomer {
  readonly tier: KycTier | null;
  readonly country: string | null;
}

/** What the customer has ramped in the currency, in minor units, with the new ramp. */
export interface RampedSums {
  readonly transaction: bigint;
  readonly day: bigint;
  readonly month: bigint;
}

/** `tier`: the least identity check with which the ramp fits. */
export type LimitAnswer = { readonly allowed: true } | { readonly allowed: false; readonly tier: KycTier };

const periods = [
  ['per_transaction', 'transaction', 'for one ramp'],
  ['per_day', 'day', 'in 24 hours'],
  ['per_month', 'month', 'in 30 days'],
] as const;

/**
 * Compares a ramp with the account's limits. Throws `amount_out_of_range`, which names the limit, if no identity check
 * would help.
 */
export function askLimits(
  { limits }: RampTerms,
  { tier, country }: LimitedCustomer,
  currency: string,
  sums: RampedSums,
): LimitAnswer {
  if (limits.length === 0) return { allowed: true };
  const rules = limits.filter(rule => rule.currency === currency && (rule.country == null || rule.country === country));
  const fitting = rules.filter(rule => exceededBy(rule, sums) === null);
  const isReached = (rule: RampLimit) => rule.tier == null || reachesTier(tier, rule.tier);
  if (fitting.some(isReached)) return { allowed: true };
  const needed = fitting.flatMap(rule => rule.tier ?? []).sort((a, b) => (reachesTier(a, b) ? 1 : -1))[0];
  if (needed !== undefined) return { allowed: false, tier: needed };
  throw new PayError('amount_out_of_range', tooMuch(rules, currency, country, sums), { param: 'fiat_amount' });
}

function exceededBy(rule: RampLimit, sums: RampedSums) {
  return periods.find(([field, name]) => rule[field] != null && sums[name] > BigInt(rule[field])) ?? null;
}

function tooMuch(rules: readonly RampLimit[], currency: string, country: string | null, sums: RampedSums): string {
  const last = rules.at(-1);
  const exceeded = last === undefined ? null : exceededBy(last, sums);
  if (last === undefined || exceeded === null) {
    return `The account has no limit for ramps in ${currency}${country === null ? '' : ` from ${country}`}, so none is possible.`;
  }
  const [field, , period] = exceeded;
  return `The limit is ${last[field]} minor units of ${currency} ${period} (${field}). This ramp would exceed it.`;
}
