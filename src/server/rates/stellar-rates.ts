import type { Clock } from '../../core/clock.ts';
import { divideRounded, formatUnits, parseUnits } from '../../core/money.ts';
import type { StellarMarket } from '../stellar/network.ts';
import type { EcbRates } from './ecb-rates.ts';
import type { RateSource } from './rates.ts';

/** What pricing on a Stellar network needs. */
export interface StellarRatesDeps {
  readonly market: Pick<StellarMarket, 'strictSendPaths'>;
  readonly ecb: EcbRates;
  readonly clock: Clock;
  /** Assets of well-known codes on the network, `USDC` and `EURC` among them. */
  readonly knownAssets: Readonly<Record<string, string>>;
}

/**
 * Coins that are declared to be worth a currency. Where both coins trade, the declaration is checked against the
 * market.
 */
const pegs: Readonly<Record<string, string>> = { USDC: 'USD', EURC: 'EUR' };

/** Sample amount in stroops of the dollar coin: prices are those for changing a hundred dollars. */
const sampleAmount = 1_000_000_000n;
/** Largest accepted gap between the coins' market and the bank's rate, in percent. */
const largestPegGapPercent = 3n;
/** A network price is reused for this long: a public Horizon answers about one question a second. */
const holdMs = 20_000;
const priceDecimals = 18;
const one = 10n ** BigInt(priceDecimals);

/** The selling and buying price of one unit, in dollars (units of 10^-18). */
interface DollarPrice {
  readonly sell: bigint;
  readonly buy: bigint;
  readonly asOf: Date;
}

/**
 * Prices for networks with real money. Currencies have the bank's reference rates. Traded assets have the prices of
 * order book and pools that a path payment would meet, both ways. A currency and its coin count as equal; when the
 * coins' market contradicts that, nothing is priced.
 */
export function createStellarRates(deps: StellarRatesDeps): RateSource {
  const { knownAssets, clock } = deps;
  const traded = createTraded(deps);
  const dollars = async (unit: string): Promise<DollarPrice | null> => {
    const currency = currencyOf(unit, knownAssets);
    if (currency === null) return await traded(unit);
    const text = currency === 'USD' ? '1' : await deps.ecb.price(currency, 'USD');
    const price = text === null ? null : parseUnits(text, priceDecimals);
    return price === null ? null : { sell: price, buy: price, asOf: clock.now() };
  };
  return {
    id: 'stellar+ecb',
    wellKnownAssets: knownAssets,
    price: async (from, to) => {
      if (!(await arePegsSound(deps, traded))) return null;
      const [sold, bought] = await Promise.all([dollars(from), dollars(to)]);
      if (sold === null || bought === null || bought.buy === 0n) return null;
      const price = formatUnits(divideRounded(sold.sell * one, bought.buy), priceDecimals);
      return { price, asOf: sold.asOf < bought.asOf ? sold.asOf : bought.asOf };
    },
  };
}

/** The currency of the unit, or the one that the coin is declared to be worth; null for assets with their own price. */
function currencyOf(unit: string, knownAssets: Readonly<Record<string, string>>): string | null {
  const [code = '', issuer] = unit.split(':');
  if (issuer === undefined) return unit === 'XLM' ? null : unit;
  return knownAssets[code] === issuer ? (pegs[code] ?? null) : null;
}

type Traded = (asset: string) => Promise<DollarPrice | null>;

/** Prices of traded assets in the dollar coin; null where the network has no path between the two. */
function createTraded({ market, clock, knownAssets }: StellarRatesDeps): Traded {
  const dollarCoin = `USDC:${knownAssets['USDC']}`;
  const held = new Map<string, { readonly readAt: number; readonly price: Promise<DollarPrice | null> }>();
  const arrives = async (asset: string, amount: bigint, destination: string) => {
    const [path] = await market.strictSendPaths({ asset, amount, destinationAssets: [destination] });
    return path?.destinationAmount ?? 0n;
  };
  const read = async (asset: string): Promise<DollarPrice | null> => {
    const asOf = clock.now();
    const bought = await arrives(dollarCoin, sampleAmount, asset);
    const back = bought === 0n ? 0n : await arrives(asset, bought, dollarCoin);
    if (back === 0n) return null;
    return { sell: divideRounded(back * one, bought), buy: divideRounded(sampleAmount * one, bought), asOf };
  };
  return asset => {
    const now = clock.now().getTime();
    const last = held.get(asset);
    if (last !== undefined && now >= last.readAt && now - last.readAt < holdMs) return last.price;
    const price = read(asset);
    held.set(asset, { readAt: now, price });
    // A failure is not kept: the next caller asks again.
    price.catch(() => held.delete(asset));
    return price;
  };
}

/**
 * Whether the euro coin costs about as many dollar coins as the euro costs dollars. True when the coins do not trade.
 */
async function arePegsSound({ ecb, knownAssets }: StellarRatesDeps, traded: Traded): Promise<boolean> {
  const issuer = knownAssets['EURC'];
  const [coins, text] = await Promise.all([
    issuer === undefined ? null : traded(`EURC:${issuer}`),
    ecb.price('EUR', 'USD').catch(() => null),
  ]);
  const bank = text === null ? null : parseUnits(text, priceDecimals);
  if (coins === null || bank === null) return true;
  const gap = coins.sell > bank ? coins.sell - bank : bank - coins.sell;
  return gap * 100n <= bank * largestPegGapPercent;
}
