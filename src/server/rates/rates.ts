import { formatAsset, parseAsset, type StellarAsset } from '../../core/asset.ts';
import type { Clock } from '../../core/clock.ts';
import { currencyDecimals, parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { parseUnits, stellarDecimals } from '../../core/money.ts';
import type { Rate } from '../../core/rate.ts';
import type { RateSource } from './rate-source.ts';

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
/** A price this many times its predecessor, or that small a part of it, is taken for an error. */
const maxJump = 5n;
const priceDecimals = 18;

interface Held {
  readonly market: MarketRate;
  readonly price: bigint;
  readonly readAt: number;
}

/** Rates from a source, held for a second, refused when stale, zero, malformed or wildly different from the last. */
export function createRates(source: RateSource, clock: Clock): Rates {
  const held = new Map<string, Held>();
  const knownAssets = new Map<string, StellarAsset>();

  async function find(from: string, to: string): Promise<MarketRate> {
    const key = `${from}>${to}`;
    const now = clock.now().getTime();
    const last = held.get(key);
    if (last && now - last.readAt < holdMs && now >= last.readAt) return last.market;
    const reported = await source.price(from, to);
    const price = reported === null ? null : parsePrice(reported.price);
    if (reported === null || price === null) throw unavailable(from, to);
    if (Math.abs(now - reported.asOf.getTime()) > maxAgeSeconds * 1000) throw unavailable(from, to);
    if (last && (price > last.price * maxJump || price * maxJump < last.price)) throw unavailable(from, to);
    const rate = {
      numerator: price * 10n ** BigInt(decimalsOf(to)),
      denominator: 10n ** BigInt(priceDecimals + decimalsOf(from)),
    };
    const market = { rate, source: source.id, asOf: reported.asOf };
    held.set(key, { market, price, readAt: now });
    return market;
  }

  function asset(text: string, param: string): StellarAsset {
    const known = knownAssets.get(text) ?? parseAsset(text, source.wellKnownAssets);
    if (known === null || known === undefined) {
      const codes = ['XLM', ...Object.keys(source.wellKnownAssets)].join(', ');
      throw new PayError(
        'invalid_asset',
        `“${text.slice(0, 80)}” is not a Stellar asset. Use ${codes}, or CODE:ISSUER.`,
        { param },
      );
    }
    if (knownAssets.size < 1_000) knownAssets.set(text, known);
    return known;
  }
  return { find, asset };
}

function decimalsOf(unit: string): number {
  return parseCurrency(unit) === null || unit === 'XLM' ? stellarDecimals : currencyDecimals(unit);
}

function parsePrice(text: string): bigint | null {
  const price = parseUnits(text, priceDecimals);
  return price === null || price === 0n ? null : price;
}

function unavailable(from: string, to: string): PayError {
  const asset = to.split(':')[0];
  return new PayError(
    'rate_unavailable',
    `There is no reliable rate from ${from} to ${asset} right now. Try again shortly.`,
    {
      retryAfterSeconds: 5,
    },
  );
}

/** The unit name under which the source knows an asset. */
export function rateUnit(asset: StellarAsset): string {
  return formatAsset(asset);
}
