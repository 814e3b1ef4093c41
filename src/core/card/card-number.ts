/** A card brand. */
export interface CardBrand {
  /** Stable name: `visa`, `mastercard` … */
  readonly brand: string;
  /** The displayed name. */
  readonly label: string;
  /** Ranges of the leading digits, including both ends. Both ends of a range have the same number of digits. */
  readonly patterns: readonly (readonly [number, number])[];
  /** The possible numbers of digits, ascending. */
  readonly lengths: readonly number[];
  readonly cvcLength: number;
  /** The positions of blanks in a displayed number: the number of digits before each blank. */
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

/** Maximum digits of a card number. */
export const longestNumber = 19;

/** The digits of a typed or pasted text. */
export function digitsOf(text: string): string {
  return text.replace(/[^0-9]/g, '');
}

/** The brand of a complete or incomplete number. Null while the brand is ambiguous or unknown. */
export function detectBrand(text: string): CardBrand | null {
  const digits = digitsOf(text);
  const belongs = ([low, high]: readonly [number, number]) => {
    const size = String(low).length;
    const prefix = Number(digits.slice(0, size));
    return digits.length >= size && prefix >= low && prefix <= high;
  };
  return cardBrands.find(brand => brand.patterns.some(belongs)) ?? null;
}

/** The digits grouped as on the card (`4242 4242 4242 4242`, `3782 822463 10005`). Surplus digits are cut off. */
export function formatCardNumber(text: string): string {
  const brand = detectBrand(text);
  const digits = digitsOf(text).slice(0, brand?.lengths.at(-1) ?? longestNumber);
  // Diners Club numbers of 16 and 19 digits are printed in groups of four; numbers of 14 digits are not.
  const gaps = brand?.brand === 'diners' && digits.length > 14 ? fours : (brand?.gaps ?? fours);
  return [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('');
}

/** The last month in which a card is valid. `month` is 1 to 12, and `year` has four digits. */
export interface CardExpiry {
  readonly month: number;
  readonly year: number;
}

/**
 * Reads an expiry that was typed or filled in by a browser: `MM/YY`, `MM/YYYY`, `M/YY`, `MMYY`, `MMYYYY` or `YYYY-MM`.
 * A dot or dash may replace the slash. Ignores blanks. Two-digit years are of this century. Null for other texts.
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
