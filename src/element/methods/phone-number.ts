/**
 * Reads phone numbers in the browser. `libphonenumber-js` with the metadata of nine countries would be a chunk of
 * 10.2 kB (brotli), twice the size of the tab. The service checks each number with that library, and a test compares
 * the lengths below with its metadata.
 */

/** Digits of mobile numbers, without the zero that payers dial first. */
const usualDigits = 9;
/** Countries whose numbers keep their first zero. */
const otherDigits: Readonly<Record<string, number>> = { CI: 10 };

/** Digits of the country's mobile numbers after the calling code. */
export const digitsOf = (country: string): number => otherDigits[country] ?? usualDigits;

/** A country in which operators collect. */
export interface PhoneCountry {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Without `+`: `256`. */
  readonly calling_code: string;
}

/** A typed number: its country, or undefined for a country that is not offered, and its digits after the code. */
export interface TypedNumber<C extends PhoneCountry> {
  readonly place: C | undefined;
  readonly national: string;
  /** Whether the payer typed the calling code. */
  readonly isInternational: boolean;
}

/** First code points of the digits 0 to 9 of Arabic and Persian keyboards. */
const digitSets = [0x660, 0x6f0];

/** ASCII digits in place of others. */
function plain(text: string): string {
  const value = (digit: string) =>
    digitSets.map(zero => digit.charCodeAt(0) - zero).find(each => each >= 0 && each <= 9);
  return text.normalize('NFKC').replace(/[٠-٩۰-۹]/g, digit => `${value(digit)}`);
}

/** Reads a number as people type or paste it: `0772 123456`, `+256 772 123456`, `00256…`. `chosen`: without a code. */
export function readNumber<C extends PhoneCountry>(text: string, chosen: C, offered: readonly C[]): TypedNumber<C> {
  const typed = plain(text).replace(/[^\d+]/g, '');
  const digits = typed.replace(/^00|\D/g, '');
  const hasSign = /^(\+|00)/.test(typed);
  const isComplete = ({ country, calling_code: code }: C) => digits.length === code.length + digitsOf(country);
  const place = offered.find(each => digits.startsWith(each.calling_code) && (hasSign || isComplete(each)));
  if (!place && hasSign) return { place, national: digits, isInternational: true };
  const { country, calling_code: code } = place ?? chosen;
  const rest = place ? digits.slice(code.length) : digits;
  const national = country in otherDigits ? rest : rest.replace(/^0/, '');
  return { place: place ?? chosen, national, isInternational: Boolean(place) };
}

/** The longest of the prefixes that the number begins with, as a length. 0 without one. */
export const matchLength = (national: string, prefixes: readonly string[]): number =>
  Math.max(0, ...prefixes.filter(prefix => national.startsWith(prefix)).map(({ length }) => length));

/** The country's flag, as two regional indicators. Some systems show them as letters. */
export const flagOf = (country: string): string =>
  String.fromCodePoint(...[...country].map(letter => letter.charCodeAt(0) + 0x1f1a5));
