import { formatUnits, parseUnits } from '../money.ts';

/** Maximum decimals of a percentage. */
const percentDecimals = 4;
/** Maximum decimals of a quantity. */
export const quantityDecimals = 6;
/** Maximum decimals of a rate on a document. */
export const rateDecimals = 10;

/** 100 % in ten-thousandths of a percent, the unit of all percentages here. For example, 19 % is 190,000n. */
export const wholePercent = 100n * 10n ** BigInt(percentDecimals);

/** Reads a decimal from text or a JSON number. Null if it is negative, has too many decimals, or is not a number. */
export function parseDecimal(value: string | number, decimals: number): bigint | null {
  return parseUnits(typeof value === 'number' ? String(value) : value, decimals);
}

/** Reads a percentage from 0 to 100 with at most four decimals, in ten-thousandths of a percent. Otherwise null. */
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
