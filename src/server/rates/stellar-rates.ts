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
  /** What codes mean on the network: `USDC` and `EURC` among them. */
  readonly knownAssets: Readonly<Record<string, string>>;
}

/** Codes of coins that are declared to be worth a currency. Whether they are is checked against each other where both trade. */
const pegs: Readonly<Record<string, string>> = { USDC: 'USD', EURC: 'EUR' };

/** How much is asked about, in stroops of the dollar coin: prices are those at which a hundred dollars change hands. */
const sampleAmount = 1_000_000_000n;
/** The coins’ own market and the bank may differ by so much, in percent: beyond, one of them is not worth what it says. */
const largestPegGapPercent = 3n;
/** A price of the network serves for so long: a public Horizon answers one question a second. */
const holdMs = 20_000;
const priceDecimals = 18;
const one = 10n ** BigInt(priceDecimals);

/** What one unit brings when it is sold and costs when it is bought, in dollars (units of 10^-18). */
interface DollarPrice {
  readonly sell: bigint;
  readonly buy: bigint;
  readonly asOf: Date;
}

/**
 * Prices where money is real: currencies by the bank’s reference rates, what is traded on the network by the order book
 * and the pools that a path payment would meet, both ways. A currency and its coin count as one, unless the coins’ own
 * market says otherwise: then nothing is priced.
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

/** The currency that the unit is, or is declared to be worth; null for what has a price of its own. */
function currencyOf(unit: string, knownAssets: Readonly<Record<string, string>>): string | null {
  const [code = '', issuer] = unit.split(':');
  if (issuer === undefined) return unit === 'XLM' ? null : unit;
  return knownAssets[code] === issuer ? (pegs[code] ?? null) : null;
}

type Traded = (asset: string) => Promise<DollarPrice | null>;

/** What the network trades, in the dollar coin; null where there is no way between the two. */
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
    // A failure is not held: the next one to ask tries again.
    price.catch(() => held.delete(asset));
    return price;
  };
}

/** Whether the euro coin costs in dollar coins about what the euro costs in dollars. Where the coins do not trade there is nothing to compare. */
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
