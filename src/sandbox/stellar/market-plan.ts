import { divideRounded, parseUnits } from '../../core/money.ts';
import type { RateSource } from '../../server/rates/rates.ts';
import { native } from './core/ledger-asset.ts';
import { seededAssets } from './seeds.ts';

/** One offer that the market maker keeps up: so much of an asset for another. */
export interface PlannedOffer {
  readonly selling: string;
  readonly buying: string;
  /** Stroops. */
  readonly amount: bigint;
  readonly price: { readonly n: number; readonly d: number };
}

/** A pool that the market maker fills once, at the market’s price. Assets are in the protocol’s order. */
export interface PlannedPool {
  readonly assetA: string;
  readonly assetB: string;
  readonly amountA: bigint;
  readonly amountB: bigint;
}

/** What the market maker offers and fills. */
export interface MarketPlan {
  readonly offers: readonly PlannedOffer[];
  readonly pools: readonly PlannedPool[];
}

/** Pairs with offers both ways, by the names that the rates have for them … */
const offeredPairs = [
  ['XLM', 'USDC'],
  ['USDC', 'EURC'],
  ['USDC', 'NGNC'],
  ['XLM', 'BRLC'],
  ['NGNC', 'KES'],
] as const;

/** … and those with a pool. XLM and EURC meet in a pool alone. */
const pooledPairs = [
  ['XLM', 'USDC'],
  ['XLM', 'EURC'],
] as const;

/** Dollars at each level of a book, and how far from the middle it is, in hundredths of a percent. */
const levels = [
  { dollars: 100_000n, basisPoints: 10n },
  { dollars: 500_000n, basisPoints: 20n },
  { dollars: 2_000_000n, basisPoints: 50n },
  { dollars: 10_000_000n, basisPoints: 150n },
] as const;

/** Dollars on each side of a pool. */
const poolDollars = 2_000_000n;

const scale = 10n ** 18n;
const stroops = 10n ** 7n;

/** Plans the market around the rates of the sandbox: every offer within a small spread of them. */
export async function planMarket(rates: RateSource): Promise<MarketPlan> {
  const dollars = new Map<string, bigint>();
  for (const name of new Set([...offeredPairs, ...pooledPairs].flat())) {
    dollars.set(name, await dollarsOf(rates, name));
  }
  const worthOf = (name: string) => dollars.get(name) ?? scale;
  return {
    offers: offeredPairs.flatMap(([a, b]) => [...offersOf(a, b, worthOf), ...offersOf(b, a, worthOf)]),
    pools: pooledPairs.map(([a, b]) => ({
      assetA: assetOf(a),
      assetB: assetOf(b),
      amountA: unitsFor(poolDollars, worthOf(a)),
      amountB: unitsFor(poolDollars, worthOf(b)),
    })),
  };
}

/** Dollars for one unit, as a number of 10^-18. */
async function dollarsOf(rates: RateSource, name: string): Promise<bigint> {
  const reported = await rates.price(name, 'USD');
  const value = reported === null ? null : parseUnits(reported.price, 18);
  if (value === null || value <= 0n) throw new Error(`the sandbox market has no price for ${name}`);
  return value;
}

function assetOf(name: string): string {
  return seededAssets().find(({ rate }) => rate === name)?.asset ?? native;
}

function unitsFor(amount: bigint, value: bigint): bigint {
  return divideRounded(amount * scale * stroops, value);
}

function offersOf(selling: string, buying: string, worthOf: (name: string) => bigint): readonly PlannedOffer[] {
  return levels.map(({ dollars, basisPoints }) => ({
    selling: assetOf(selling),
    buying: assetOf(buying),
    amount: unitsFor(dollars, worthOf(selling)),
    price: ratio(worthOf(selling) * (10_000n + basisPoints), worthOf(buying) * 10_000n),
  }));
}

const largest = 2n ** 31n - 1n;

/** The price as a ratio of numbers that fit 31 bits, exact to nine digits or so. */
function ratio(numerator: bigint, denominator: bigint): { readonly n: number; readonly d: number } {
  let d = 1_000_000_000n;
  let n = divideRounded(numerator * d, denominator);
  while (n > largest && d > 1n) {
    d /= 10n;
    n = divideRounded(numerator * d, denominator);
  }
  return { n: Number(n), d: Number(d) };
}
