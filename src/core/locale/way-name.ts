import { mobileMoneyNames } from '../mobile-money/names.ts';
import { phoneText } from './phone-text.ts';

const names: Readonly<Record<string, string>> = {
  ...mobileMoneyNames,
  card: 'Cards',
  bank_transfer: 'Bank transfers',
  sepa: 'SEPA',
  swift: 'SWIFT',
  ach: 'ACH',
  bnb: 'BNB Chain',
  xrpl: 'XRP Ledger',
};

/** The name of a rail or chain, such as `SEPA`, `M-Pesa` or `Stellar`. An unknown id becomes words: `Sandbox card`. */
export const wayName = (id: string): string => {
  const words = id.replace(/[_-]/g, ' ');
  return names[id] ?? words.charAt(0).toUpperCase() + words.slice(1);
};

/** A mobile-money wallet on one line: `MTN MoMo +256 772 123 456`. */
export const walletName = ({ provider, number }: { readonly provider: string; readonly number: string }): string =>
  `${wayName(provider)} ${phoneText(number)}`;
