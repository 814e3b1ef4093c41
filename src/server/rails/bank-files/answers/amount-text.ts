import { currencyDecimals, parseCurrency } from '../../../../core/currency.ts';
import { parseUnits } from '../../../../core/money.ts';

/** Maximum characters of a number or name that is parsed. ISO 20022 allows 18 digits; some banks write more zeros. */
const longest = 60;

/** An amount of a bank: the text as the bank wrote it, bounded, and the minor units, or null if it is not readable. */
export interface BankAmount {
  readonly text: string;
  readonly currency: string;
  readonly units: bigint | null;
}

/** Reads an amount and its currency. The bounds come first, so that no text costs more time than its length. */
export function readAmount(text: string, currencyText: string): BankAmount {
  const currency = currencyText.length > longest ? null : parseCurrency(currencyText.trim());
  const units = currency === null ? null : parseDecimal(text, currencyDecimals(currency));
  return { text: text.slice(0, longest), currency: currency ?? currencyText.slice(0, 3), units };
}

/**
 * Reads a decimal by `xs:decimal`: a sign, leading and trailing zeros, no exponent. Returns minor units, or null for
 * another text, a negative number, or more decimals than the currency has.
 */
export function parseDecimal(text: string, decimals: number): bigint | null {
  if (text.length > longest) return null;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  const [, sign, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole + fraction === '') return null;
  const units = parseUnits(plainDecimal(whole, fraction), decimals);
  return sign === '-' && units !== 0n ? null : units;
}

/** The shortest text of a number, without useless zeros. */
function plainDecimal(whole: string, fraction: string): string {
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  const decimals = fraction.replace(/0+$/, '');
  return decimals === '' ? digits : `${digits}.${decimals}`;
}

/** Reads `xs:boolean`. An absent or other text is false. */
export function parseBoolean(text: string | null): boolean {
  return text === 'true' || text === '1';
}
