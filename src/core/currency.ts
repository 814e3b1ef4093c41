import { PayError } from './error.ts';

/**
 * The known currencies: ISO 4217 code → decimals of the smallest unit. Source: ISO 4217 list one of 2026 (minor unit
 * column). Excludes codes without minor units (XAU, XXX …), and BOV, CHE, CHW, CLF, COU, MXV, USN, UYW and XAD. Keeps
 * the withdrawn ANG and BGN, because older payments and balances use them.
 */
const decimalsByCode: Readonly<Record<string, number>> = Object.fromEntries([
  ...listed(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...listed(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...listed(
    2,
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY ' +
      'COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS ' +
      'INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR ' +
      'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD ' +
      'SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  ),
]);

/** Currencies withdrawn since 2017 and their successors. Source: ISO 4217 list three. New objects cannot use them. */
const successors: Readonly<Record<string, string>> = {
  ANG: 'XCG',
  BGN: 'EUR',
  BYR: 'BYN',
  CUC: 'CUP',
  HRK: 'EUR',
  MRO: 'MRU',
  SLL: 'SLE',
  STD: 'STN',
  VEF: 'VES',
  ZWL: 'ZWG',
};

function listed(decimals: number, codes: string): [string, number][] {
  return codes.split(' ').map(code => [code, decimals]);
}

/**
 * The code in capitals if it is a known ISO 4217 currency in upper or lower case, otherwise null. Accepts only ASCII
 * letters, because `ſ` would become `S`. Knows withdrawn currencies as well: `readCurrency` refuses them.
 */
export function parseCurrency(text: string): string | null {
  if (!/^[A-Za-z]{3}$/.test(text)) return null;
  const code = text.toUpperCase();
  return Object.hasOwn(decimalsByCode, code) ? code : null;
}

/** Number of decimals of the currency's smallest unit (JPY 0, USD 2, KWD 3). Throws RangeError for an unknown code. */
export function currencyDecimals(code: string): number {
  const decimals = decimalsByCode[code];
  if (decimals === undefined) throw new RangeError(`unknown currency ${code}`);
  return decimals;
}

/** Whether ISO 4217 has withdrawn the currency. */
export function isWithdrawn(text: string): boolean {
  return Object.hasOwn(successors, text.toUpperCase());
}

/** Why a new object cannot use the currency, or null if it can. */
export function currencyFault(text: string): string | null {
  const code = text.toUpperCase();
  if (isWithdrawn(code)) return `${code} was withdrawn; use ${successors[code]}.`;
  return parseCurrency(text) === null ? `“${text}” is not an ISO 4217 currency code.` : null;
}

/** The currency of a new object, in capitals. Throws PayError `invalid_currency` for the field `param`. */
export function readCurrency(text: string, param: string): string {
  const fault = currencyFault(text);
  if (fault !== null) throw new PayError('invalid_currency', fault, { param });
  return text.toUpperCase();
}
