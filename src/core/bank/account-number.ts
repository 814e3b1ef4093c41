import { isIban } from './iban.ts';

/**
 * By country: the territories whose banks use IBANs of that country (IBAN Registry; EPC list of SEPA scheme countries).
 */
const territories: Readonly<Record<string, readonly string[]>> = {
  FR: ['BL', 'GF', 'GP', 'MC', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'],
  GB: ['GG', 'IM', 'JE'],
  FI: ['AX'],
};

/**
 * Whether the text is a BIC (ISO 9362:2014): bank, country, location and an optional branch, in upper or lower case.
 */
export function isBic(text: string): boolean {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text.toUpperCase());
}

/** Whether the BIC belongs to a bank of the country (ISO 3166-1 alpha-2). Ignores case. */
export function isBicOfCountry(bic: string, country: string): boolean {
  return isBic(bic) && bic.slice(4, 6).toUpperCase() === country.toUpperCase();
}

/**
 * Whether the BIC may belong to the IBAN's bank: its country is the IBAN's, or one of that country's `territories`.
 * False for an invalid IBAN.
 */
export function isBicOfIban(bic: string, iban: string): boolean {
  const country = iban.trim().slice(0, 2).toUpperCase();
  const countries = [country, ...(Object.hasOwn(territories, country) ? (territories[country] ?? []) : [])];
  return isIban(iban) && countries.some(one => isBicOfCountry(bic, one));
}

/**
 * The check digit of a Nigerian account number (NUBAN) for a bank code and a serial number of nine digits. Null for
 * other texts. The weights repeat 3, 7, 3. A bank code of three digits gets three leading zeros, and a code of five
 * digits gets a leading 9. Source: Central Bank of Nigeria, revised standards on NUBAN, 2020.
 */
export function computeNubanCheckDigit(bankCode: string, serial: string): string | null {
  if (!/^([0-9]{3}|[0-9]{5,6})$/.test(bankCode) || !/^[0-9]{9}$/.test(serial)) return null;
  const code = bankCode.length === 5 ? `9${bankCode}` : bankCode.padStart(6, '0');
  return checkDigit(`${code}${serial}`, [3, 7, 3]);
}

/** Whether the account number of ten digits (NUBAN) has the right check digit for the bank with this code. */
export function isNuban(account: string, bankCode: string): boolean {
  return /^[0-9]{10}$/.test(account) && computeNubanCheckDigit(bankCode, account.slice(0, 9)) === account[9];
}

/**
 * Whether the text is a Mexican account number (CLABE): bank, branch, account and check digit, 18 digits. Source: Banco
 * de México, weights 3, 7, 1.
 */
export function isClabe(text: string): boolean {
  return /^[0-9]{18}$/.test(text) && checkDigit(text.slice(0, 17), [3, 7, 1]) === text[17];
}

/** The digit that makes the weighted sum of the digits a multiple of ten. The three weights repeat. */
export function checkDigit(digits: string, weights: readonly [number, number, number]): string {
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (weights[index % 3] ?? 0), 0);
  return String((10 - (sum % 10)) % 10);
}

/**
 * The six digits of a British sort code, without its hyphens or blanks. Null for another text. Does not check whether
 * the bank exists, which only Vocalink's directory shows.
 */
export function parseSortCode(text: string): string | null {
  const digits = /^([0-9]{2})([ -]?)([0-9]{2})\2([0-9]{2})$/.exec(text.trim());
  return digits === null ? null : `${digits[1]}${digits[3]}${digits[4]}`;
}

/** Whether the text is a British account number: eight digits. Omits the modulus check, because it differs by bank. */
export function isUkAccountNumber(text: string): boolean {
  return /^[0-9]{8}$/.test(text);
}
