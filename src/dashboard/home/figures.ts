import type { Overview } from '../../api/client.ts';
import { timeWords } from '../controls/values.ts';

/** One point of a chart: a time and an amount in minor units. */
export interface Point {
  readonly at: string;
  readonly amount: number;
}

type Amounts = Overview['amounts'];

const volumeIn = (amounts: Amounts, currency: string) => amounts.find(each => each.currency === currency)?.volume ?? 0;

/** The currencies of the period, most payments first. Then the other currencies with payments at any time. */
export function currenciesOf({ amounts, money }: Overview): readonly string[] {
  const used = amounts.toSorted((one, other) => other.paid - one.paid).map(({ currency }) => currency);
  return [...new Set([...used, ...money.map(({ currency }) => currency)])];
}

/** The volume of each interval in the currency. */
export function volumeOf({ series }: Overview, currency: string): readonly Point[] {
  return series.map(({ start, amounts }) => ({ at: start, amount: volumeIn(amounts, currency) }));
}

/** Today's volume in minor units, and its change against earlier weeks. */
export interface Today {
  readonly amount: number;
  /** The change against the average of the same weekday in earlier weeks. Null if that average is zero or unknown. */
  readonly change: { readonly percent: number; readonly weekday: string } | null;
}

/** Today's figures from a series of days. The last point is today. */
export function todayOf(points: readonly Point[]): Today {
  const last = points.at(-1);
  if (last === undefined) return { amount: 0, change: null };
  const before = points.filter((_, index) => index < points.length - 1 && (points.length - 1 - index) % 7 === 0);
  const sum = before.reduce((total, { amount }) => total + amount, 0);
  if (sum === 0) return { amount: last.amount, change: null };
  const percent = Math.round(((last.amount * before.length) / sum - 1) * 100);
  return { amount: last.amount, change: { percent, weekday: timeWords(last.at, 'weekday') } };
}

/** A part of a whole, shown as a bar. */
export interface Share {
  readonly name: string;
  readonly count: number;
  /** The part, from 0 to 1. */
  readonly part: number;
}

/** Shares of counts, the largest first. Omits counts of zero. */
export function sharesOf(counts: readonly { readonly name: string; readonly count: number }[]): readonly Share[] {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return counts
    .filter(({ count }) => count > 0)
    .map(each => ({ ...each, part: each.count / total }))
    .toSorted((one, other) => other.count - one.count);
}

/** Paid payments by method, including payments that were refunded later. */
export function methodShares({ by_method: list }: Overview, words: Readonly<Record<string, string>>): readonly Share[] {
  return sharesOf(
    list.map(({ method, completed, refunded }) => ({ name: words[method] ?? method, count: completed + refunded })),
  );
}

/** Paid payments by the asset that the merchant receives. */
export function assetShares({ by_asset: list }: Overview): readonly Share[] {
  return sharesOf(
    list.map(({ settlement_asset: asset, amounts }) => ({
      name: asset.split(':')[0] ?? asset,
      count: amounts.reduce((sum, { paid }) => sum + paid, 0),
    })),
  );
}
