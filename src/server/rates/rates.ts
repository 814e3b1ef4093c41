import { formatAsset, parseAsset, type StellarAsset } from '../../core/asset.ts';
import type { Clock } from '../../core/clock.ts';
import { parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { parseUnits } from '../../core/money.ts';
import type { Rate } from '../../core/rate.ts';
import { unitOf } from '../../core/unit.ts';

/** A reliable rate and its source. */
export interface MarketRate {
  readonly rate: Rate;
  readonly source: string;
  readonly asOf: Date;
}

/** Market rates between smallest units of currencies and assets. */
export interface Rates {
  /** Throws PayError `rate_unavailable` without a reliable rate, and `UnknownPair` if the source lacks the pair. */
  find(from: string, to: string): Promise<MarketRate>;
  /**
   * Like `find`, but the rate at which the market takes this amount (smallest units of `from`). The rate is never better
   * than that of `find`. Throws `rate_unavailable` if the market is too thin for the amount.
   */
  findFor(amount: bigint, from: string, to: string): Promise<MarketRate>;
  /** Whether this process has seen a rate for the pair. The source then knows the pair. */
  isKnown(from: string, to: string): boolean;
  /** The asset of a wire text. Throws PayError `invalid_asset` for `param`. */
  asset(text: string, param: string): StellarAsset;
  /** Like `asset`, but returns the source's name for the asset. */
  unit(text: string, param: string): string;
  /** Like `asset`, but throws `asset_not_listed` if the operator does not list the asset. */
  listedAsset(text: string, param: string): StellarAsset;
  /** Assets for settlement and conversion, as the operator lists them. */
  readonly listed: readonly string[];
}

/** Seconds after which a caller without a rate may try again. */
const retrySeconds = 5;
/** Maximum age of a price in seconds. */
const maxAgeSeconds = 120;
/** Milliseconds for which a price is used before the source is asked again. */
const holdMs = 1_000;
/** A price that differs from the last price by more than this factor is refused as a probable error. */
const maxJump = 5n;
/** Milliseconds for which a price is compared with the last price. Later, a large difference can be a real move. */
const comparableMs = 10 * 60_000;
/** The prices of both directions must multiply to 1, with this tolerance in percent. Otherwise both are refused. */
const maxSpreadPercent = 2n;
/** A large amount may get a price this many percent worse than a small one. Beyond it, the market is too thin. */
const maxDepthPercent = 5n;
const priceDecimals = 18;
const one = 10n ** BigInt(priceDecimals);

interface Held {
  readonly market: MarketRate;
  readonly price: bigint;
  readonly readAt: number;
}

/**
 * Creates rates from a source. Refuses prices that are stale, zero or malformed. Also refuses prices that contradict
 * the price of the reverse pair, or are far from the last price. `ofChains`: assets in the tables of chains besides
 * Stellar, which payers may send.
 */
export function createRates(
  source: RateSource,
  clock: Clock,
  listed: readonly string[] = ownAssets(source),
  ofChains: readonly string[] = [],
): Rates {
  const priced = new Set([...listed, ...ownAssets(source), ...ofChains]);
  const held = new Map<string, Held>();

  async function find(from: string, to: string): Promise<MarketRate> {
    for (const unit of [from, to]) if (parseCurrency(unit) === null && !priced.has(unit)) throw notListed(unit, listed);
    if (from === to) return identity(from, clock.now());
    const key = `${from}>${to}`;
    const now = clock.now().getTime();
    const last = held.get(key);
    if (last && now - last.readAt < holdMs && now >= last.readAt) return last.market;
    const [there, back] = await Promise.allSettled([source.price(from, to), source.price(to, from)]);
    if (there.status === 'rejected') throw unavailable(from, to, there.reason);
    const reported = there.value;
    const price = reported && soundPrice(reported, now);
    if (reported === null) throw new UnknownPair(from, to);
    if (price === null) throw unavailable(from, to);
    const backPrice = back.status === 'fulfilled' && back.value ? soundPrice(back.value, now) : null;
    if (backPrice !== null && !areInverse(price, backPrice)) throw unavailable(from, to);
    if (last && now - last.readAt < comparableMs && isJump(last.price, price)) throw unavailable(from, to);
    const market = { rate: rateOf(price, from, to), source: source.id, asOf: reported.asOf };
    held.set(key, { market, price, readAt: now });
    return market;
  }

  async function findFor(amount: bigint, from: string, to: string): Promise<MarketRate> {
    const market = await find(from, to);
    if (from === to) return market;
    const sample = held.get(`${from}>${to}`)?.price ?? 0n;
    const whole = amount * 10n ** BigInt(priceDecimals - unitOf(from).decimals);
    const reported = await source.price(from, to, whole).catch((error: unknown) => {
      throw unavailable(from, to, error);
    });
    const price = reported && soundPrice(reported, clock.now().getTime());
    if (price === null || price * 100n < sample * (100n - maxDepthPercent)) throw tooThin(from, to);
    return price < sample ? { ...market, rate: rateOf(price, from, to) } : market;
  }

  const isKnown = (from: string, to: string) => held.has(`${from}>${to}`);
  const { unit, ...readers } = assetReaders(source, listed);
  const unitOfAny: Rates['unit'] = (text, param) => (ofChains.includes(text) ? text : unit(text, param));
  return { find, findFor, isKnown, ...readers, unit: unitOfAny };
}

function assetReaders(
  { wellKnownAssets }: RateSource,
  listed: readonly string[],
): Pick<Rates, 'asset' | 'unit' | 'listedAsset' | 'listed'> {
  const knownAssets = new Map<string, StellarAsset>();
  function asset(text: string, param: string): StellarAsset {
    const remembered = knownAssets.get(text);
    if (remembered !== undefined) return remembered;
    const found = readAsset(text, wellKnownAssets, param);
    if (knownAssets.size < 1_000) knownAssets.set(text, found);
    return found;
  }
  function listedAsset(text: string, param: string): StellarAsset {
    const found = asset(text, param);
    if (listed.includes(formatAsset(found))) return found;
    throw notListed(text, listed, param);
  }
  return { asset, listedAsset, listed, unit: (text, param) => formatAsset(asset(text, param)) };
}

/** XLM and the source's well-known assets. */
function ownAssets({ wellKnownAssets }: RateSource): readonly string[] {
  return ['XLM', ...Object.entries(wellKnownAssets).map(([code, issuer]) => `${code}:${issuer}`)];
}

/** The rate of money to itself: nothing is converted. */
function identity(unit: string, asOf: Date): MarketRate {
  return { rate: { numerator: 1n, denominator: 1n }, source: unit, asOf };
}

/** The currency or the source's name of the asset in which payments are settled. Throws PayError `invalid_asset`. */
export function settlementUnit(rates: Pick<Rates, 'unit'>, text: string): string {
  return parseCurrency(text) ?? rates.unit(text, 'settlement_asset');
}

function rateOf(price: bigint, from: string, to: string): Rate {
  return {
    numerator: price * 10n ** BigInt(unitOf(to).decimals),
    denominator: 10n ** BigInt(priceDecimals + unitOf(from).decimals),
  };
}

/** The issuer of an asset can own its whole market. Only assets that the operator trusts have a rate. */
function notListed(text: string, listed: readonly string[], param?: string): PayError {
  const message = `This server does not settle or convert into ${text.slice(0, 80)}. It lists ${listed.join(', ')}.`;
  return new PayError('asset_not_listed', message, { ...(param !== undefined && { param }) });
}

function tooThin(from: string, to: string): PayError {
  const message = `The market from ${from.split(':')[0]} to ${to.split(':')[0]} is too thin for this amount. Convert a smaller amount, or try later.`;
  return new PayError('rate_unavailable', message, { retryAfterSeconds: retrySeconds });
}

/** A well-known code stands for one asset. Another asset with that code is a fake, or belongs to another network. */
function readAsset(text: string, wellKnown: Readonly<Record<string, string>>, param: string): StellarAsset {
  const found = parseAsset(text, wellKnown);
  if (found === null) {
    const codes = ['XLM', ...Object.keys(wellKnown)].join(', ');
    const message = `“${text.slice(0, 80)}” is not a Stellar asset. Use ${codes}, or CODE:ISSUER.`;
    throw new PayError('invalid_asset', message, { param });
  }
  const issuer = Object.hasOwn(wellKnown, found.code) ? wellKnown[found.code] : undefined;
  if (issuer === undefined || issuer === found.issuer) return found;
  const message = `This issuer’s ${found.code} is not the ${found.code} of this network. Use ${found.code}, which is ${found.code}:${issuer}.`;
  throw new PayError('invalid_asset', message, { param });
}

/** The price in units of 10^-18. Null if it is not a positive number, or its time differs too much from `now`. */
function soundPrice({ price: text, asOf }: ReportedPrice, now: number): bigint | null {
  const price = parseUnits(text, priceDecimals);
  const isTimely = Math.abs(now - asOf.getTime()) <= maxAgeSeconds * 1000;
  return price === 0n || !isTimely ? null : price;
}

function areInverse(there: bigint, back: bigint): boolean {
  const difference = there * back - one * one;
  return (difference < 0n ? -difference : difference) * 100n <= one * one * maxSpreadPercent;
}

function isJump(before: bigint, after: bigint): boolean {
  return after > before * maxJump || after * maxJump < before;
}

function unavailable(from: string, to: string, cause?: unknown): PayError {
  return new PayError('rate_unavailable', noRateNow(from, to), { retryAfterSeconds: retrySeconds, cause });
}

function noRateNow(from: string, to: string): string {
  return `There is no reliable rate from ${from} to ${to.split(':')[0]} right now. Try again shortly.`;
}

/** The source has no price for the pair. A retry helps only if a market for the asset opens. */
export class UnknownPair extends PayError {
  constructor(from: string, to: string) {
    const message = `This server has no rate from ${from.split(':')[0]} to ${to.split(':')[0]}. Use another currency or asset.`;
    super('rate_unavailable', message, { retryAfterSeconds: retrySeconds });
  }
}

/**
 * The rate from a currency to an asset. Throws PayError `invalid_currency` for `param` if the source does not know the
 * currency. Then a later retry cannot help.
 */
export async function findCurrencyRate(
  rates: Pick<Rates, 'find'>,
  { currency, asset, param }: { readonly currency: string; readonly asset: string; readonly param: string },
): Promise<MarketRate> {
  try {
    return await rates.find(currency, asset);
  } catch (error) {
    if (!(error instanceof UnknownPair) || (await isPriced(rates, currency))) throw error;
    const message = `This server has no exchange rate for ${currency}. Settle in ${currency} itself, or use another currency.`;
    throw new PayError('invalid_currency', message, { param });
  }
}

/** Whether the source knows the currency. If it does, the asset is the unknown part of the pair. */
export async function isPriced(rates: Pick<Rates, 'find'>, currency: string): Promise<boolean> {
  if (currency === 'USD') return true;
  try {
    await rates.find(currency, 'USD');
    return true;
  } catch (error) {
    return !(error instanceof UnknownPair);
  }
}

/** A price from a source: the cost of one whole unit of `from` in whole units of `to`, as decimal text. */
export interface ReportedPrice {
  readonly price: string;
  readonly asOf: Date;
}

/** A source of prices. Names are currency codes (`EUR`) and asset texts (`XLM`, `USDC:G…`). */
export interface RateSource {
  readonly id: string;
  /** Asset codes that need no issuer. */
  readonly wellKnownAssets: Readonly<Record<string, string>>;
  /**
   * The current price, or null if the source does not know the pair. Throws if the source has no price at present.
   * `amount`: the price for this amount of `from`, in units of 10^-18. Without it, the price for a small amount.
   */
  price(from: string, to: string, amount?: bigint): Promise<ReportedPrice | null>;
}
