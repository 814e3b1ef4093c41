import { decimalsOf } from '../../element/money-text.ts';
import { locale } from '../controls/values.ts';

/** An amount of minor units for the axis of a chart, for example `€2k`. */
export function compactMoney(amount: number, currency: string): string {
  const units = amount / 10 ** decimalsOf(currency);
  const format = { style: 'currency', currency, currencyDisplay: 'narrowSymbol', notation: 'compact' } as const;
  return new Intl.NumberFormat(locale(), { ...format, maximumFractionDigits: 1 }).format(units).toLowerCase();
}
