import type { Clock } from '../core/clock.ts';
import { divideRounded, formatUnits, parseUnits } from '../core/money.ts';
import type { RateSource } from '../server/rates/rates.ts';
import { sandboxAssets } from './stellar/index.ts';

/**
 * Rough prices in US dollars of less common currencies. With them, every known currency has a price, also the withdrawn
 * ANG and BGN of older payments.
 */
const otherDollars =
  'AFN 0.014, ALL 0.0108, AMD 0.0026, ANG 0.5587, AOA 0.0011, AWG 0.5556, AZN 0.5882, BAM 0.5573, ' +
  'BBD 0.5, BDT 0.0082, BGN 0.5573, BIF 0.00034, BMD 1, BND 0.75, BOB 0.1447, BSD 1, BTN 0.0119, ' +
  'BWP 0.073, BYN 0.31, BZD 0.4965, CDF 0.00035, CRC 0.00195, CUP 0.0417, CVE 0.00988, DJF 0.00562, ' +
  'DOP 0.0166, DZD 0.0075, EGP 0.0205, ERN 0.0667, ETB 0.0081, FJD 0.44, FKP 1.27, GEL 0.365, GIP 1.27, ' +
  'GMD 0.0141, GNF 0.000116, GTQ 0.1295, GYD 0.00478, HNL 0.0397, HTG 0.0076, HUF 0.00272, IQD 0.000763, ' +
  'IRR 0.0000238, ISK 0.0072, JMD 0.0063, JOD 1.4104, KGS 0.0115, KHR 0.000246, KMF 0.002216, ' +
  'KPW 0.00111, KYD 1.2, KZT 0.00203, LAK 0.0000456, LBP 0.0000112, LKR 0.0034, LRD 0.0055, LSL 0.056, ' +
  'LYD 0.206, MAD 0.1, MDL 0.0556, MGA 0.000215, MKD 0.0177, MMK 0.000476, MNT 0.000294, MOP 0.1243, ' +
  'MRU 0.0251, MUR 0.0216, MVR 0.0649, MWK 0.000577, MYR 0.225, MZN 0.01565, NAD 0.056, NIO 0.0272, ' +
  'NPR 0.00744, OMR 2.5974, PAB 1, PEN 0.265, PGK 0.251, PKR 0.0036, PYG 0.000128, QAR 0.2747, ' +
  'RON 0.219, RSD 0.00931, RUB 0.0103, RWF 0.00073, SBD 0.119, SCR 0.0705, SDG 0.00166, SHP 1.27, ' +
  'SLE 0.0441, SOS 0.00175, SRD 0.0283, SSP 0.00026, STN 0.0445, SVC 0.1143, SYP 0.0000769, SZL 0.056, ' +
  'TJS 0.094, TMT 0.2857, TND 0.319, TOP 0.42, TTD 0.1473, TWD 0.0309, TZS 0.00038, UAH 0.0242, ' +
  'UYI 0.024, UYU 0.0234, UZS 0.0000781, VED 0.0216, VES 0.0216, VUV 0.00825, WST 0.358, ' +
  'XAF 0.001662, XCD 0.3704, XCG 0.5587, XOF 0.001662, XPF 0.009134, YER 0.004, ZMW 0.0364, ZWG 0.0389';

/** Prices of one unit in US dollars. They never change, so that people can calculate tests and demos by hand. */
const dollars: Readonly<Record<string, string>> = {
  ...Object.fromEntries(otherDollars.split(', ').map(entry => entry.split(' ') as [string, string])),
  USD: '1',
  EUR: '1.09',
  GBP: '1.27',
  CHF: '1.12',
  JPY: '0.0067',
  CAD: '0.73',
  AUD: '0.66',
  NZD: '0.6',
  SEK: '0.095',
  NOK: '0.094',
  DKK: '0.146',
  PLN: '0.25',
  CZK: '0.043',
  BRL: '0.18',
  MXN: '0.054',
  INR: '0.0119',
  CNY: '0.139',
  HKD: '0.128',
  SGD: '0.75',
  KRW: '0.00072',
  THB: '0.029',
  VND: '0.000039',
  IDR: '0.000063',
  PHP: '0.0175',
  ZAR: '0.056',
  NGN: '0.00062',
  KES: '0.0077',
  GHS: '0.066',
  UGX: '0.00027',
  TRY: '0.029',
  AED: '0.2723',
  SAR: '0.2666',
  KWD: '3.25',
  BHD: '2.65',
  ILS: '0.27',
  ARS: '0.001',
  CLP: '0.00105',
  COP: '0.00024',
  XLM: '0.12',
  USDC: '1',
  EURC: '1.09',
  NGNC: '0.00062',
  BRLC: '0.18',
};

/** The issuer of each asset code. An asset of another issuer has no price. */
const issuers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(sandboxAssets).map(asset => asset.split(':') as [string, string]),
);

const decimals = 18;

/** A rate source with constant prices. */
export function createSandboxRates(clock: Clock): RateSource {
  return {
    id: 'sandbox',
    wellKnownAssets: issuers,
    price: async (from, to) => {
      const a = dollarsOf(from);
      const b = dollarsOf(to);
      if (a === null || b === null) return null;
      return { price: formatUnits(divideRounded(a * 10n ** BigInt(decimals), b), decimals), asOf: clock.now() };
    },
  };
}

function dollarsOf(unit: string): bigint | null {
  const [code = '', issuer] = unit.split(':');
  if (issuer !== undefined && issuers[code] !== issuer) return null;
  const text = dollars[code];
  return text === undefined ? null : parseUnits(text, decimals);
}
