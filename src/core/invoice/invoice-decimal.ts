import { formatUnits, parseUnits } from '../money.ts';

/** Decimals a percentage may have. */
const percentDecimals = 4;
/** Decimals a quantity may have. */
export const quantityDecimals = 6;
/** Decimals a rate on a document may have. */
export const rateDecimals = 10;

/** 100 % in ten-thousandths of a percent, the unit of all percentages here: 19 % is 190,000n. */
export const wholePercent = 100n * 10n ** BigInt(percentDecimals);

/** Reads a decimal from text or a JSON number; null when it is negative, has too many decimals, or is no number. */
export function parseDecimal(value: string | number, decimals: number): bigint | null {
  return parseUnits(typeof value === 'number' ? String(value) : value, decimals);
}

/** Reads a percentage from 0 to 100, in ten-thousandths of a percent. Null for all else, also for five decimals. */
export function parsePercent(value: string | number): bigint | null {
  const percent = parseDecimal(value, percentDecimals);
  return percent === null || percent > wholePercent ? null : percent;
}

/** The percentage as text without trailing zeros: `"19"`, `"9.975"`. */
export function formatPercent(percent: bigint): string {
  return trimmed(formatUnits(percent, percentDecimals));
}

/** A quantity as text without trailing zeros. */
export function formatQuantity(quantity: bigint): string {
  return trimmed(formatUnits(quantity, quantityDecimals));
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
