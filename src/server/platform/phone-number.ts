import { type CountryCode, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** A phone number in E.164 form, its country (ISO 3166-1 alpha-2), and whether its range belongs to landlines. */
export interface PhoneNumber {
  readonly number: string;
  /** Null for a calling code of several countries whose ranges do not tell. */
  readonly country: string | null;
  readonly isLandline: boolean;
}

/**
 * Reads a phone number. Null without a country code, with an extension, or for a length that the country does not use.
 * Blanks, hyphens, dots and brackets are allowed. Unknown ranges are allowed, because operators open new ranges before
 * libphonenumber's metadata lists them.
 */
export function readPhoneNumber(text: string): PhoneNumber | null {
  const read = parsePhoneNumberFromString(text.trim(), { extract: false });
  if (read?.isPossible() !== true || read.ext !== undefined) return null;
  const [possible, ...others] = read.country === undefined ? read.getPossibleCountries() : [read.country];
  const country = others.length === 0 ? (possible ?? null) : null;
  const isLandline = read.getType() === 'FIXED_LINE';
  return { number: read.number, country, isLandline };
}

/** The number in E.164 form (`+254712345678`), or null as `readPhoneNumber`. */
export function parsePhoneNumber(text: string): string | null {
  return readPhoneNumber(text)?.number ?? null;
}

/** The country's calling code without `+`: `254`. */
export function callingCode(country: string): string {
  return getCountryCallingCode(country as CountryCode);
}
