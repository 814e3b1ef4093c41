import { formatAsset, type StellarAsset } from '../../core/asset.ts';
import { parseCurrency, readCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { parseUnits } from '../../core/money.ts';
import { unitOf, unitText } from '../../core/unit.ts';

/** Money of a balance. `currency` is an ISO 4217 code (minor units) or an asset's wire text (its smallest units). */
export interface BalanceMoney {
  readonly currency: string;
  readonly amount: bigint;
}

/** Money in its wire form: an integer with `currency`, or decimal text with `asset`. */
export type WireMoney =
  | { readonly currency: string; readonly amount: number }
  | { readonly asset: string; readonly amount: string };

/** The currency or asset in a request. */
export interface WireUnit {
  readonly currency?: string;
  readonly asset?: string;
}

/** Reads the wire text of an asset. Throws PayError `invalid_asset` for `param`. */
export type ReadAsset = (text: string, param: string) => StellarAsset;

/** Whether a ledger currency is an asset and not an ISO 4217 code. */
export function isAsset(currency: string): boolean {
  return parseCurrency(currency) === null;
}

export function moneyToWire({ currency, amount }: BalanceMoney): WireMoney {
  return isAsset(currency)
    ? { asset: currency, amount: unitText(amount, currency) }
    : { currency, amount: Number(amount) };
}

/** The fields `currency` and `asset` of money in its wire form. One of them is null. */
export function unitToWire(currency: string): { readonly currency: string | null; readonly asset: string | null } {
  return isAsset(currency) ? { currency: null, asset: currency } : { currency, asset: null };
}

/** Money as text in messages: `12.50 EUR`, `3.0000000 USDC`. */
export function moneyText({ currency, amount }: BalanceMoney): string {
  return `${unitText(amount, currency)} ${unitOf(currency).code}`;
}

/**
 * Reads the currency or asset of existing money in a request, and returns its ledger name. The currency may be
 * withdrawn. `at` is the object's path in the request. Throws `parameter_missing`, `parameter_invalid` if both are
 * given, `invalid_currency` or `invalid_asset`.
 */
export function readUnit(given: WireUnit, readAsset: ReadAsset, at = ''): string {
  const { currency, asset } = given;
  if (currency !== undefined && asset !== undefined) {
    throw new PayError('parameter_invalid', 'Give a currency or an asset, not both.', { param: `${at}asset` });
  }
  if (asset !== undefined) return formatAsset(readAsset(asset, `${at}asset`));
  if (currency === undefined) {
    throw new PayError('parameter_missing', 'Give a currency or an asset.', { param: `${at}currency` });
  }
  return parseCurrency(currency) ?? readCurrency(currency, `${at}currency`);
}

/** Like `readUnit`, for money that the request adds to the balance. Refuses withdrawn currencies. */
export function readNewUnit(given: WireUnit, readAsset: ReadAsset, at = ''): string {
  const unit = readUnit(given, readAsset, at);
  return isAsset(unit) ? unit : readCurrency(unit, `${at}currency`);
}

/** Reads an integer (currency) or decimal text (asset) in smallest units. Throws `invalid_amount` for `param`. */
export function readAmount(given: number | string, currency: string, param = 'amount'): bigint {
  const { decimals, most } = unitOf(currency);
  const amount = isAsset(currency) ? assetAmount(given, decimals) : minorUnitsOf(given);
  if (amount !== null && amount > 0n && amount <= most) return amount;
  const takes = isAsset(currency)
    ? `decimal text above 0 with at most ${decimals} decimals for an asset`
    : 'an integer above 0 in the smallest unit for a currency';
  throw new PayError('invalid_amount', `${param} takes ${takes}.`, { param });
}

function assetAmount(given: number | string, decimals: number): bigint | null {
  return typeof given === 'string' ? parseUnits(given, decimals) : null;
}

function minorUnitsOf(given: number | string): bigint | null {
  return typeof given === 'number' ? BigInt(given) : null;
}
