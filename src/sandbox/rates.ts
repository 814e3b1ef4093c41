import type { Clock } from '../core/clock.ts';
import { divideRounded, formatUnits, parseUnits } from '../core/money.ts';
import type { RateSource } from '../server/rates/rates.ts';
import { sandboxAssets } from './stellar/index.ts';

/** Prices of one unit in US dollars. They are fixed, so that tests and demos can be calculated by hand. */
const dollars: Readonly<Record<string, string>> = {
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

/** Issuers by code: an asset with the same code from another issuer has no price. */
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
