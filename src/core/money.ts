/**
 * Arithmetic on amounts. Every amount is a bigint of smallest units (cents, stroops); this is the only file that
 * rounds, and it always rounds half away from zero unless the name says otherwise.
 */

/** Decimals of every amount on Stellar (1 unit = 10,000,000 stroops). */
export const stellarDecimals = 7;

/** The most of an asset that Stellar carries: 2^63 − 1 stroops (the ledger’s amounts are signed integers of 64 bits). */
export const mostStroops = 2n ** 63n - 1n;

/** The largest amount the wire takes: 2^53 − 1, the largest integer a JSON number carries exactly. */
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

/** `numerator / denominator` for non-negative values, rounded up: what a payer owes is never rounded to the payer's favour twice. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n || numerator < 0n) throw new RangeError('divideUp takes a non-negative ratio');
  return (numerator + denominator - 1n) / denominator;
}

/** `numerator / denominator` for non-negative values, rounded down: many small parts never count for more than one whole. */
export function divideDown(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n || numerator < 0n) throw new RangeError('divideDown takes a non-negative ratio');
  return numerator / denominator;
}

/** What the amounts come to together. */
export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** The smaller of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The share of `amount` that is `basisPoints` hundredths of a percent (50 = 0.5 %). */
export function basisPointsOf(amount: bigint, basisPoints: number): bigint {
  return divideRounded(amount * BigInt(basisPoints), 10_000n);
}

/**
 * Divides a non-negative amount in the proportion of the weights by largest remainder: the parts sum to the amount, each
 * is the exact share rounded down or up, and of equal remainders the earlier part gets the unit. Weights that sum to zero
 * get nothing; then only an amount of zero can be divided.
 */
export function allocate(amount: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  if (amount < 0n || weights.some(weight => weight < 0n)) throw new RangeError('allocate takes no negative values');
  if (sum === 0n) {
    if (amount !== 0n) throw new RangeError('nothing to allocate an amount to');
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
 * Smallest units of a plain decimal text (`"12.5"`, 2 decimals → 1250n), or null when it is not one: signs, blanks,
 * exponents, full-width digits and more decimals than the unit has are all refused, never rounded.
 */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(0|[1-9][0-9]{0,30})(?:\.([0-9]{1,30}))?$/.exec(text);
  if (!match) return null;
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) return null;
  return BigInt((match[1] ?? '') + fraction.padEnd(decimals, '0'));
}
