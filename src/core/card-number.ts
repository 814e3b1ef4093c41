/** A card brand. */
export interface CardBrand {
  /** Stable name: `visa`, `mastercard` … */
  readonly brand: string;
  /** The displayed name. */
  readonly label: string;
  /** Ranges of the leading digits, both ends included. Both ends of a range have the same number of digits. */
  readonly patterns: readonly (readonly [number, number])[];
  /** Counts of digits a number of the brand may have, ascending. */
  readonly lengths: readonly number[];
  readonly cvcLength: number;
  /** Where a displayed number has blanks: the number of digits before each blank. */
  readonly gaps: readonly number[];
}

const fours = [4, 8, 12, 16];

/** The brands by their issuer identification numbers (ISO/IEC 7812). No ranges overlap. Browsers load this table. */
export const cardBrands: readonly CardBrand[] = [
  { brand: 'visa', label: 'Visa', patterns: [[4, 4]], lengths: [13, 16, 19], cvcLength: 3, gaps: fours },
  {
    brand: 'mastercard',
    label: 'Mastercard',
    patterns: [
      [51, 55],
      [2221, 2720],
    ],
    lengths: [16],
    cvcLength: 3,
    gaps: fours,
  },
  {
    brand: 'amex',
    label: 'American Express',
    patterns: [
      [34, 34],
      [37, 37],
    ],
    lengths: [15],
    cvcLength: 4,
    gaps: [4, 10],
  },
  {
    brand: 'discover',
    label: 'Discover',
    patterns: [
      [6011, 6011],
      [644, 649],
      [65, 65],
    ],
    lengths: [16, 19],
    cvcLength: 3,
    gaps: fours,
  },
  {
    brand: 'diners',
    label: 'Diners Club',
    patterns: [
      [300, 305],
      [3095, 3095],
      [36, 36],
      [38, 39],
    ],
    lengths: [14, 16, 19],
    cvcLength: 3,
    gaps: [4, 10],
  },
  { brand: 'jcb', label: 'JCB', patterns: [[3528, 3589]], lengths: [16, 17, 18, 19], cvcLength: 3, gaps: fours },
  {
    brand: 'unionpay',
    label: 'UnionPay',
    patterns: [
      [62, 62],
      [81, 81],
    ],
    lengths: [14, 15, 16, 17, 18, 19],
    cvcLength: 3,
    gaps: fours,
  },
  {
    brand: 'maestro',
    label: 'Maestro',
    patterns: [
      [50, 50],
      [56, 58],
      [63, 63],
      [67, 67],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
    cvcLength: 3,
    gaps: fours,
  },
];

const shortest = 12;
const longest = 19;

/** The digits of a typed or pasted text. */
export function digitsOf(text: string): string {
  return text.replace(/[^0-9]/g, '');
}

/** The brand of a complete or incomplete number; null while it is ambiguous or unknown. */
export function detectBrand(text: string): CardBrand | null {
  const digits = digitsOf(text);
  const belongs = ([low, high]: readonly [number, number]) => {
    const size = String(low).length;
    const prefix = Number(digits.slice(0, size));
    return digits.length >= size && prefix >= low && prefix <= high;
  };
  return cardBrands.find(brand => brand.patterns.some(belongs)) ?? null;
}

/**
 * Whether the check digit is right (ISO/IEC 7812-1 annex B, "Luhn"). The text must be digits; an empty text is not
 * valid.
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

/** Counts of digits the number may have: those of its brand, or 12 to 19 when the brand is unknown. */
function cardNumberLengths(text: string): readonly number[] {
  return detectBrand(text)?.lengths ?? Array.from({ length: longest - shortest + 1 }, (_, i) => shortest + i);
}

/**
 * Whether the text is a whole card number: right length for its brand and right check digit. Blanks and dashes are
 * ignored.
 */
export function isCardNumber(text: string): boolean {
  const digits = digitsOf(text);
  return cardNumberLengths(digits).includes(digits.length) && isLuhnValid(digits);
}

/** The digits grouped as on the card (`4242 4242 4242 4242`, `3782 822463 10005`). Surplus digits are cut off. */
export function formatCardNumber(text: string): string {
  const brand = detectBrand(text);
  const digits = digitsOf(text).slice(0, brand?.lengths.at(-1) ?? longest);
  // Diners Club numbers of 16 and 19 digits are printed in fours, numbers of 14 digits are not.
  const gaps = brand?.brand === 'diners' && digits.length > 14 ? fours : (brand?.gaps ?? fours);
  return [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('');
}

/** The month a card is valid through; `month` is 1 to 12, `year` has four digits. */
export interface CardExpiry {
  readonly month: number;
  readonly year: number;
}

/**
 * Reads an expiry that was typed or filled in by a browser: `MM/YY`, `MM/YYYY`, `M/YY`, `MMYY`, `MMYYYY` or `YYYY-MM`.
 * A dot or dash may replace the slash; blanks are ignored. Two-digit years are of this century. Null for other texts.
 */
export function parseExpiry(text: string): CardExpiry | null {
  const plain = text.replace(/\s/g, '');
  const match =
    /^(?<month>\d{1,2})[/.-](?<year>\d{4}|\d{2})$/.exec(plain) ??
    /^(?<month>\d{2})(?<year>\d{4}|\d{2})$/.exec(plain) ??
    /^(?<year>\d{4})-(?<month>\d{1,2})$/.exec(plain);
  const month = Number(match?.groups?.['month']);
  const year = Number(match?.groups?.['year']);
  if (!(month >= 1 && month <= 12)) return null;
  return { month, year: year < 100 ? 2000 + year : year };
}

const twelveHours = 12 * 3_600_000;

/** Whether the last month of the card is over in every time zone. Cards are valid through the last day of the month. */
export function isExpired(expiry: CardExpiry, now: Date): boolean {
  const westernmost = new Date(now.getTime() - twelveHours);
  const months = (year: number, month: number) => year * 12 + month;
  return months(expiry.year, expiry.month) < months(westernmost.getUTCFullYear(), westernmost.getUTCMonth() + 1);
}
