import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * The number in E.164 form (`+254712345678`). Null without a country code, with an extension, or for a length that the
 * country does not use. Blanks, hyphens, dots and brackets are allowed. Ranges are not checked, because operators open
 * new ranges before libphonenumber's metadata lists them.
 */
export function parsePhoneNumber(text: string): string | null {
  const number = parsePhoneNumberFromString(text.trim(), { extract: false });
  return number?.isPossible() === true && number.ext === undefined ? number.number : null;
}
