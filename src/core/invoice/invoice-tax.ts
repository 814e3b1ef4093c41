import { allocate, divideRounded, sumOf } from '../money.ts';
import { wholePercent } from './invoice-decimal.ts';

/** A tax on a line. `percent` is in ten-thousandths of a percent. */
export interface LineTax {
  readonly name: string;
  readonly percent: bigint;
  /** Whether the price contains the tax. Otherwise the tax is added to the price. */
  readonly inclusive: boolean;
  /** Whether the tax also applies to the line's earlier taxes, not only to the net amount. */
  readonly compound: boolean;
}

/** A tax rate over all its lines. */
export interface TaxTotal extends LineTax {
  readonly base: bigint;
  readonly amount: bigint;
}

/** A line's amount after all discounts, and the taxes that apply to it. */
export interface TaxableLine {
  readonly amount: bigint;
  readonly taxes: readonly LineTax[];
}

/** A line with its share of each tax, in the order of the taxes. */
export interface TaxedLine extends TaxableLine {
  readonly taxAmounts: readonly bigint[];
}

/** Maximum number of taxes on a line. */
export const mostLineTaxes = 5;

/** The factor 1, as integer. It is divisible by `wholePercent` once per compound tax, so all factors are exact. */
const one = wholePercent ** BigInt(mostLineTaxes);

/** A tax of a line: `factor / divisor` of the amount is the tax, `baseFactor / divisor` is its base. */
interface Bearing {
  readonly line: number;
  readonly position: number;
  readonly amount: bigint;
  readonly factor: bigint;
  readonly baseFactor: bigint;
  readonly divisor: bigint;
}

interface Rate {
  readonly tax: LineTax;
  readonly bearings: Bearing[];
}

/**
 * Calculates each tax rate once, on the exact sum of its lines, and gives each line its share by largest remainder.
 * Taxes with equal name, percentage, `inclusive` and `compound` are one rate. Rounds only the sum.
 */
export function taxLines(lines: readonly TaxableLine[]): { lines: TaxedLine[]; totals: TaxTotal[] } {
  const rates = new Map<string, Rate>();
  for (const [index, line] of lines.entries()) {
    for (const bearing of bearingsOf(line, index)) {
      const tax = line.taxes[bearing.position] as LineTax;
      const rate = rates.get(keyOfTax(tax)) ?? { tax, bearings: [] };
      rates.set(keyOfTax(tax), rate);
      rate.bearings.push(bearing);
    }
  }
  const amounts = lines.map(line => line.taxes.map(() => 0n));
  const totals = [...rates.values()].map(rate => take(rate, amounts));
  return { lines: lines.map((line, index) => ({ ...line, taxAmounts: amounts[index] ?? [] })), totals };
}

/** The key of a tax rate. Taxes with the same key are one rate. */
export function keyOfTax({ name, percent, inclusive, compound }: LineTax): string {
  return JSON.stringify([name, String(percent), inclusive, compound]);
}

function bearingsOf({ amount, taxes }: TaxableLine, line: number): Bearing[] {
  const factors: bigint[] = [];
  const bases: bigint[] = [];
  let before = one;
  for (const { percent, compound } of taxes) {
    const base = compound ? before : one;
    const factor = (base * percent) / wholePercent;
    bases.push(base);
    factors.push(factor);
    before += factor;
  }
  const contained = factors.filter((_, position) => taxes[position]?.inclusive);
  const divisor = contained.reduce((sum, factor) => sum + factor, one);
  return factors.map((factor, position) => ({
    line,
    position,
    amount,
    factor,
    divisor,
    baseFactor: bases[position] ?? one,
  }));
}

function take({ tax, bearings }: Rate, amounts: bigint[][]): TaxTotal {
  const divisor = [...new Set(bearings.map(bearing => bearing.divisor))].reduce((product, each) => product * each, 1n);
  const weights = bearings.map(bearing => bearing.amount * bearing.factor * (divisor / bearing.divisor));
  const amount = divideRounded(sumOf(weights), divisor);
  for (const [index, share] of allocate(amount, weights).entries()) {
    const { line, position } = bearings[index] as Bearing;
    (amounts[line] as bigint[])[position] = share;
  }
  // The base is the prices plus a difference. Only the difference is rounded, so that an inclusive tax and its base sum
  // to the prices.
  const prices = sumOf(bearings.map(bearing => bearing.amount));
  const exact = sumOf(bearings.map(({ amount, baseFactor, divisor: own }) => amount * baseFactor * (divisor / own)));
  return { ...tax, amount, base: prices + divideRounded(exact - prices * divisor, divisor) };
}
