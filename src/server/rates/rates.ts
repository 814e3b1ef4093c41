import { formatAsset, parseAsset, type StellarAsset } from '../../core/asset.ts';
import type { Clock } from '../../core/clock.ts';
import { currencyDecimals, parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { parseUnits, stellarDecimals } from '../../core/money.ts';
import type { Rate } from '../../core/rate.ts';

/** A rate that may be used, and where it comes from. */
export interface MarketRate {
  readonly rate: Rate;
  readonly source: string;
  readonly asOf: Date;
}

/** Market rates between smallest units of currencies and assets. */
export interface Rates {
  /** Throws PayError `rate_unavailable` when no sound rate is known. */
  find(from: string, to: string): Promise<MarketRate>;
  /** The asset of a wire text; throws PayError `invalid_asset` naming `param`. */
  asset(text: string, param: string): StellarAsset;
}

/** A price older than this is not used. */
const maxAgeSeconds = 120;
/** A price is looked up again after this long: between, one value serves every quote. */
const holdMs = 1_000;
/** A price this many times its predecessor, or that small a part of it, is taken for an error … */
const maxJump = 5n;
/** … for this long after the predecessor was read: a market that did move, or a first price that was wrong, is got over. */
const comparableMs = 10 * 60_000;
/** A price and the price of the way back must multiply to 1, but for this share in percent: else one is upside down. */
const maxSpreadPercent = 2n;
const priceDecimals = 18;
const one = 10n ** BigInt(priceDecimals);

interface Held {
  readonly market: MarketRate;
  readonly price: bigint;
  readonly readAt: number;
}

/** Rates from a source, held for a second, refused when stale, zero, malformed, inverted or wildly different from the last. */
export function createRates(source: RateSource, clock: Clock): Rates {
  const held = new Map<string, Held>();
  const knownAssets = new Map<string, StellarAsset>();

  async function find(from: string, to: string): Promise<MarketRate> {
    const key = `${from}>${to}`;
    const now = clock.now().getTime();
    const last = held.get(key);
    if (last && now - last.readAt < holdMs && now >= last.readAt) return last.market;
    const [there, back] = await Promise.allSettled([source.price(from, to), source.price(to, from)]);
    if (there.status === 'rejected') throw unavailable(from, to, there.reason);
    const reported = there.value;
    const price = reported && soundPrice(reported, now);
    if (reported === null || price === null) throw unavailable(from, to);
    const backPrice = back.status === 'fulfilled' && back.value ? soundPrice(back.value, now) : null;
    if (backPrice !== null && !areInverse(price, backPrice)) throw unavailable(from, to);
    if (last && now - last.readAt < comparableMs && isJump(last.price, price)) throw unavailable(from, to);
    const rate = {
      numerator: price * 10n ** BigInt(decimalsOf(to)),
      denominator: 10n ** BigInt(priceDecimals + decimalsOf(from)),
    };
    const market = { rate, source: source.id, asOf: reported.asOf };
    held.set(key, { market, price, readAt: now });
    return market;
  }

  function asset(text: string, param: string): StellarAsset {
    const remembered = knownAssets.get(text);
    if (remembered !== undefined) return remembered;
    const found = readAsset(text, source.wellKnownAssets, param);
    if (knownAssets.size < 1_000) knownAssets.set(text, found);
    return found;
  }
  return { find, asset };
}

/** A well-known code means one asset alone: its namesake is a mistake (another network’s, say) or a fake. */
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

function decimalsOf(unit: string): number {
  return parseCurrency(unit) === null || unit === 'XLM' ? stellarDecimals : currencyDecimals(unit);
}

/** The price in units of 10^-18, or null when it is no number above zero, too old, or from the future. */
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
  const asset = to.split(':')[0];
  return new PayError(
    'rate_unavailable',
    `There is no reliable rate from ${from} to ${asset} right now. Try again shortly.`,
    { retryAfterSeconds: 5, cause },
  );
}

/** The unit name under which the source knows an asset. */
export function rateUnit(asset: StellarAsset): string {
  return formatAsset(asset);
}

/** A price as a source reports it: what one whole unit of `from` costs in whole units of `to`, as decimal text. */
export interface ReportedPrice {
  readonly price: string;
  readonly asOf: Date;
}

/** Where prices come from. Names are currency codes (`EUR`) and asset texts (`XLM`, `USDC:G…`). */
export interface RateSource {
  readonly id: string;
  /** Asset codes that are understood without their issuer. */
  readonly wellKnownAssets: Readonly<Record<string, string>>;
  /** The price now, or null when the source does not know the pair. */
  price(from: string, to: string): Promise<ReportedPrice | null>;
}
