import { formatUnits, parseUnits } from '../money.ts';

/** Decimals a percentage may have. */
const percentDecimals = 4;
/** Decimals a quantity may have. */
export const quantityDecimals = 6;
/** Decimals a rate on a document may have. */
export const rateDecimals = 10;

/** A percentage as hundredths of hundredths of a percent: 19 % is 190,000n. */
export const wholePercent = 100n * 10n ** BigInt(percentDecimals);

/** Reads a decimal that came as text or as a JSON number; null when it is none, below zero, or has too many decimals. */
export function parseDecimal(value: string | number, decimals: number): bigint | null {
  return parseUnits(typeof value === 'number' ? String(value) : value, decimals);
}

/** A percentage from 0 to 100 with up to four decimals, as parts of `wholePercent`; null otherwise. */
export function parsePercent(value: string | number): bigint | null {
  const percent = parseDecimal(value, percentDecimals);
  return percent === null || percent > wholePercent ? null : percent;
}

/** The percentage as text without needless zeros: `"19"`, `"9.975"`. */
export function formatPercent(percent: bigint): string {
  return trimmed(formatUnits(percent, percentDecimals));
}

/** A quantity as text without needless zeros. */
export function formatQuantity(quantity: bigint): string {
  return trimmed(formatUnits(quantity, quantityDecimals));
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
