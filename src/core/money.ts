/**
 * Arithmetic on amounts, which are bigints of smallest units (such as cents). Only this file rounds: half away from
 * zero, unless the name says otherwise.
 */

/** The largest amount of the API: 2^53 − 1, the largest exact integer of a JSON number. */
export const maxWireAmount = BigInt(Number.MAX_SAFE_INTEGER);

/** `numerator / denominator` rounded half away from zero. Throws RangeError on a zero denominator. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new RangeError('division by zero');
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const rounded = (2n * n + d) / (2n * d);
  return negative ? -rounded : rounded;
}

/** `numerator / denominator` for non-negative values, rounded up. For amounts that a payer owes. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n || numerator < 0n) throw new RangeError('divideUp takes a non-negative ratio');
  return (numerator + denominator - 1n) / denominator;
}

/** `numerator / denominator` for non-negative values, rounded down. For parts whose sum must not exceed the whole. */
export function divideDown(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n || numerator < 0n) throw new RangeError('divideDown takes a non-negative ratio');
  return numerator / denominator;
}

export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The share of `amount` that is `basisPoints` hundredths of a percent (50 = 0.5 %). */
export function basisPointsOf(amount: bigint, basisPoints: number): bigint {
  return divideRounded(amount * BigInt(basisPoints), 10_000n);
}

/**
 * Divides a non-negative amount in proportion to the weights, by largest remainder. The parts sum to the amount. Each
 * part is its exact share, rounded down or up. Of equal remainders, the earlier part gets the unit. Throws RangeError
 * for a negative value, and if all weights are zero but the amount is not.
 */
export function allocate(amount: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  if (amount < 0n || weights.some(weight => weight < 0n)) throw new RangeError('allocate takes no negative values');
  if (sum === 0n) {
    if (amount !== 0n) throw new RangeError('all weights are zero, so the amount cannot be allocated');
    return weights.map(() => 0n);
  }
  const shares = weights.map((weight, index) => ({
    index,
    part: (amount * weight) / sum,
    rest: (amount * weight) % sum,
  }));
  const parts = shares.map(({ part }) => part);
  const left = amount - parts.reduce((total, part) => total + part, 0n);
  const byRest = shares.toSorted((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest < b.rest ? 1 : -1));
  for (const { index, part } of byRest.slice(0, Number(left))) parts[index] = part + 1n;
  return parts;
}

/** Text of an amount with exactly `decimals` decimals: `formatUnits(1250n, 2)` is `"12.50"`. */
export function formatUnits(amount: bigint, decimals: number): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return negative ? `-${text}` : text;
}

/**
 * Smallest units of a plain decimal text (`"12.5"`, 2 decimals → 1250n). Null for any other text. Refuses signs,
 * blanks, exponents, full-width digits and surplus decimals; never rounds.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(0|[1-9][0-9]{0,30})(?:\.([0-9]{1,30}))?$/.exec(text);
  if (!match) return null;
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) return null;
  return BigInt((match[1] ?? '') + fraction.padEnd(decimals, '0'));
}
