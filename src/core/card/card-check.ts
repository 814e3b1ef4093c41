import { type CardExpiry, detectBrand, digitsOf, longestNumber } from './card-number.ts';

const shortest = 12;

/**
 * Whether the text consists of digits and its check digit is right (ISO/IEC 7812-1 annex B, "Luhn"). False for an empty
 * text.
 */
export function isLuhnValid(digits: string): boolean {
  if (!/^[0-9]+$/.test(digits)) return false;
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight++) {
    const digit = Number(digits[digits.length - 1 - fromRight]);
    const weighed = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

/** The possible numbers of digits: those of the brand, or 12 to 19 for an unknown brand. */
function cardNumberLengths(text: string): readonly number[] {
  return detectBrand(text)?.lengths ?? Array.from({ length: longestNumber - shortest + 1 }, (_, i) => shortest + i);
}

/**
 * Whether the text is a whole card number, with the right length for its brand and the right check digit. Ignores
 * characters that are not digits.
 */
export function isCardNumber(text: string): boolean {
  const digits = digitsOf(text);
  return cardNumberLengths(digits).includes(digits.length) && isLuhnValid(digits);
}

const twelveHours = 12 * 3_600_000;

/** Whether the last month of the card is over in every time zone. Cards are valid until the last day of the month. */
export function isExpired(expiry: CardExpiry, now: Date): boolean {
  const westernmost = new Date(now.getTime() - twelveHours);
  const months = (year: number, month: number) => year * 12 + month;
  return months(expiry.year, expiry.month) < months(westernmost.getUTCFullYear(), westernmost.getUTCMonth() + 1);
}
