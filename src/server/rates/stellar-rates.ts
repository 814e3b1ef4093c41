import { createCache } from '../../core/cache.ts';
import type { Clock } from '../../core/clock.ts';
import { divideRounded, formatUnits, parseUnits } from '../../core/money.ts';
import type { HttpExchange } from '../platform/http-exchange.ts';
import type { StellarMarket } from '../stellar/network.ts';
import { isWild, type Readings } from './rate-readings.ts';
import type { RateSource } from './rates.ts';
import type { SpotPrice } from './spot-price.ts';

export interface StellarRatesDeps {
  readonly market: Pick<StellarMarket, 'strictSendPaths'>;
  readonly ecb: EcbRates;
  readonly clock: Clock;
  /** Assets of well-known codes on the network, for example `USDC` and `EURC`. */
  readonly knownAssets: Readonly<Record<string, string>>;
  /** Compares the price of a traded asset with older readings. */
  readonly readings: Readings;
  /** Compares the price of XLM with a market outside the network. */
  readonly spot: SpotPrice;
}

/** Coins that get the price of a currency. When both coins trade, their market price must match the ECB's rate. */
const pegs: Readonly<Record<string, string>> = { USDC: 'USD', EURC: 'EUR' };

/** Sample amount in stroops of the dollar coin. Prices are those of an exchange of a hundred dollars. */
const sampleAmount = 1_000_000_000n;
/** Prices further apart are no market, and their pairs are refused. They are not kept as readings. */
const maxSpreadPercent = 2n;
/** Largest accepted gap between the price of EURC in USDC and the ECB's rate, in percent. */
const largestPegGapPercent = 3n;
/** Largest accepted gap between the network's price of XLM and the price outside, in percent. */
const largestSpotGapPercent = 5n;
/** Milliseconds for which a network price is reused. A public Horizon allows about one request a second. */
const holdMs = 20_000;
/** Number of network prices in memory. Callers may ask for any asset, also for one that does not exist. */
const mostPrices = 200;
const priceDecimals = 18;
const one = 10n ** BigInt(priceDecimals);
/** A stroop in units of 10^-18. */
const stroop = 10n ** 11n;

/** The selling price and the buying price of one unit, in dollars (units of 10^-18). */
interface DollarPrice {
  readonly sell: bigint;
  readonly buy: bigint;
  readonly asOf: Date;
}

/**
 * Prices for testnet and the public network. Currencies have the ECB's reference rates. Traded assets have the prices
 * of a path payment in both directions. A currency and its coin count as equal. If the market contradicts this, there
 * are no prices.
 */
export function createStellarRates(deps: StellarRatesDeps): RateSource {
  const { knownAssets, clock } = deps;
  const traded = createTraded(deps);
  const dollars = async (unit: string): Promise<DollarPrice | null> => {
    const currency = currencyOf(unit, knownAssets);
    if (currency === null) {
      const price = await traded(unit);
      // Lumens always have a market, so a missing path is temporary. Another asset may never have a market.
      if (price === null && unit === 'XLM')
        throw new Error('the network currently has no path between XLM and dollars');
      return price;
    }
    const text = currency === 'USD' ? '1' : await deps.ecb.price(currency, 'USD');
    const price = text === null ? null : parseUnits(text, priceDecimals);
    return price === null ? null : { sell: price, buy: price, asOf: clock.now() };
  };
  return {
    id: 'stellar+ecb',
    wellKnownAssets: knownAssets,
    price: async (from, to, amount) => {
      if (!(await arePegsSound(deps, traded)))
        throw new Error('the market prices of the stablecoins differ too much from their pegs');
      const [sold, bought] = await Promise.all([dollars(from), dollars(to)]);
      if (sold === null || bought === null || bought.buy === 0n) return null;
      if (amount !== undefined) await assertSeasoned(deps, [from, to]);
      const worth = ((amount ?? 0n) * sold.sell) / one;
      const small = divideRounded(sold.sell * one, bought.buy);
      const isSmall = amount === undefined || worth <= sampleAmount * stroop;
      const price = formatUnits(
        isSmall ? small : await priceOf(deps, { from, to, amount, sold: sold.sell, bought: bought.buy }),
        priceDecimals,
      );
      return { price, asOf: sold.asOf < bought.asOf ? sold.asOf : bought.asOf };
    },
  };
}

/**
 * Throws for an issued asset whose first reading is too new. The first price has nothing to be compared with, and its
 * issuer may have set it a moment ago. No issuer owns the market of XLM.
 */
async function assertSeasoned({ knownAssets, readings }: StellarRatesDeps, units: readonly string[]): Promise<void> {
  for (const unit of units) {
    if (unit.includes(':') && currencyOf(unit, knownAssets) === null && !(await readings.isSeasoned(unit))) {
      throw new Error('the asset has no reading yet that is old enough to compare with');
    }
  }
}

interface Exchange {
  readonly from: string;
  readonly to: string;
  /** In units of 10^-18. */
  readonly amount: bigint;
  /** The dollar prices of currencies and their coins. The market prices the other assets. */
  readonly sold: bigint;
  readonly bought: bigint;
}

/** The price at which the market takes the whole amount: what is sold brings dollars, and they buy the other asset. */
async function priceOf({ market, knownAssets }: StellarRatesDeps, exchange: Exchange): Promise<bigint> {
  const { from, to, amount, sold, bought } = exchange;
  const dollarCoin = `USDC:${knownAssets['USDC']}`;
  const isTraded = (unit: string) => currencyOf(unit, knownAssets) === null;
  const brings = async (asset: string, sum: bigint, destination: string) =>
    (await arrivals(market, asset, sum / stroop, destination)) * stroop;
  const dollars = isTraded(from) ? await brings(from, amount, dollarCoin) : (amount * sold) / one;
  const result = isTraded(to) ? await brings(dollarCoin, dollars, to) : (dollars * one) / bought;
  return (result * one) / amount;
}

async function arrivals(
  market: StellarRatesDeps['market'],
  asset: string,
  amount: bigint,
  destination: string,
): Promise<bigint> {
  if (amount === 0n) return 0n;
  const [path] = await market.strictSendPaths({ asset, amount, destinationAssets: [destination] });
  return path?.destinationAmount ?? 0n;
}

/** The currency that the unit or coin stands for. Null for assets with their own price. */
function currencyOf(unit: string, knownAssets: Readonly<Record<string, string>>): string | null {
  const [code = '', issuer] = unit.split(':');
  if (issuer === undefined) return unit === 'XLM' ? null : unit;
  return knownAssets[code] === issuer ? (pegs[code] ?? null) : null;
}

/** The newest network price of an asset. `price` is null before the first reading and after a failure. */
interface HeldPrice {
  readAt: number;
  price: Promise<DollarPrice | null> | null;
}

type Traded = (asset: string) => Promise<DollarPrice | null>;

/** Prices of traded assets in the dollar coin. Null if the network has no path between asset and coin. */
function createTraded({ market, clock, knownAssets, readings, spot }: StellarRatesDeps): Traded {
  const dollarCoin = `USDC:${knownAssets['USDC']}`;
  const held = createCache<HeldPrice>(mostPrices);
  const read = async (asset: string): Promise<DollarPrice | null> => {
    const asOf = clock.now();
    const bought = await arrivals(market, dollarCoin, sampleAmount, asset);
    const back = bought === 0n ? 0n : await arrivals(market, asset, bought, dollarCoin);
    if (back === 0n) return null;
    const sell = divideRounded(back * one, bought);
    const buy = divideRounded(sampleAmount * one, bought);
    const outside = asset === 'XLM' ? await spot.read() : null;
    if (outside !== null && isApart(sell, outside, largestSpotGapPercent))
      throw new Error('the price of XLM on the network differs too much from its price outside');
    // A refused price is not kept. Otherwise it would become the measure of the next one.
    if (isWild([sell, buy], await readings.of(asset))) throw new Error('the price is far from its older readings');
    if (sell * 100n >= buy * (100n - maxSpreadPercent)) await readings.keep(asset, [sell, buy]);
    return { sell, buy, asOf };
  };
  return asset => {
    const now = clock.now().getTime();
    const last = held(asset, () => ({ readAt: now, price: null }));
    if (last.price !== null && now >= last.readAt && now - last.readAt < holdMs) return last.price;
    const price = read(asset);
    last.readAt = now;
    last.price = price;
    // A failure is not kept, so the next caller asks again.
    price.catch(() => {
      last.price = null;
    });
    return price;
  };
}

/**
 * Whether the euro coin costs about as many dollar coins as the euro costs dollars. Also true when the coins do not
 * trade or the bank has no rate.
 */
async function arePegsSound({ ecb, knownAssets }: StellarRatesDeps, traded: Traded): Promise<boolean> {
  const issuer = knownAssets['EURC'];
  const [coins, text] = await Promise.all([
    issuer === undefined ? null : traded(`EURC:${issuer}`),
    ecb.price('EUR', 'USD').catch(() => null),
  ]);
  const bank = text === null ? null : parseUnits(text, priceDecimals);
  if (coins === null || bank === null) return true;
  return !isApart(coins.sell, bank, largestPegGapPercent);
}

/** Whether a price differs from its measure by more than the percentage of the measure. */
function isApart(price: bigint, measure: bigint, percent: bigint): boolean {
  const gap = price > measure ? price - measure : measure - price;
  return gap * 100n > measure * percent;
}

/** The price of one euro in each currency, in units of 10^-6, because the ECB publishes up to six decimals. */
interface EcbTable {
  readonly day: Date;
  readonly perEuro: ReadonlyMap<string, bigint>;
}

/** Euro reference rates. */
interface EcbRates {
  /**
   * The price of one whole unit of `from` in `to`, as decimal text. Null if the bank lacks one of the currencies.
   * Throws if no table could be read, or if the newest table is too old.
   */
  price(from: string, to: string): Promise<string | null>;
}

interface EcbDeps {
  readonly url: string;
  readonly http: HttpExchange;
  readonly clock: Clock;
}

/**
 * Maximum age of a table. The bank publishes on TARGET working days. The longest gap is at Easter, from Thursday to
 * Tuesday.
 */
const longestGapMs = 6 * 86_400_000;
/** Milliseconds until the table is read again; after a failure, sooner. */
const tableMs = 3_600_000;
const retryMs = 60_000;

const decimals = 6;

/** The daily euro reference rates of the European Central Bank (`eurofxref-daily.xml`). */
export function createEcbRates(deps: EcbDeps): EcbRates {
  let table: EcbTable | null = null;
  let askAgainAt = 0;
  let asking: Promise<void> | null = null;

  const refresh = async (now: number) => {
    try {
      const found = await readTable(deps);
      // An older table than the known one comes from an intermediate cache.
      if (table === null || found.day >= table.day) table = found;
      askAgainAt = now + tableMs;
    } catch (error) {
      askAgainAt = now + retryMs;
      if (table === null) throw error;
    }
  };
  return {
    price: async (from, to) => {
      const now = deps.clock.now().getTime();
      if (now >= askAgainAt) {
        asking ??= refresh(now).finally(() => {
          asking = null;
        });
        await asking;
      }
      const known = table;
      if (known === null || now - known.day.getTime() > longestGapMs) {
        throw new Error('the rates of the European Central Bank are too old, or cannot be read');
      }
      const [a, b] = [from, to].map(currency => perEuro(known, currency));
      if (a == null || b == null) return null;
      return formatUnits(divideRounded(b * 10n ** BigInt(priceDecimals), a), priceDecimals);
    },
  };
}

function perEuro(table: EcbTable, currency: string): bigint | null {
  if (currency === 'EUR') return 10n ** BigInt(decimals);
  return table.perEuro.get(currency) ?? null;
}

async function readTable({ url, http }: EcbDeps): Promise<EcbTable> {
  const answer = await http.send({ url: new URL(url), headers: { accept: 'application/xml, text/xml' } });
  const table = answer.status === 200 ? parseEcbTable(answer.text) : null;
  if (table === null) throw new Error(`the rates of the European Central Bank cannot be read (${answer.status})`);
  return table;
}

/** Parses the bank's document: one day, and a positive rate for each currency; null for anything else. */
export function parseEcbTable(xml: string): EcbTable | null {
  const day = /<Cube\s+time=["'](\d{4}-\d{2}-\d{2})["']\s*>/.exec(xml)?.[1];
  if (day === undefined) return null;
  const entries = [...xml.matchAll(/<Cube\s+currency=["']([A-Z]{3})["']\s+rate=["']([^"']*)["']\s*\/>/g)].map(
    ([, currency = '', rate = '']) => [currency, parseUnits(rate, decimals)] as const,
  );
  const sound = entries.flatMap(([currency, rate]) =>
    rate === null || rate === 0n ? [] : [[currency, rate] as const],
  );
  const perEuroOf = new Map(sound);
  const isWhole = sound.length === entries.length && perEuroOf.size === entries.length && perEuroOf.has('USD');
  const published = new Date(`${day}T00:00:00Z`);
  return isWhole && !Number.isNaN(published.getTime()) ? { day: published, perEuro: perEuroOf } : null;
}
