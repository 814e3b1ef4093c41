import { currencyDecimals } from '../../src/core/currency.ts';
import { formatUnits } from '../../src/core/money.ts';
import { shopCurrency } from '../catalogue.ts';

/** An amount of the smallest unit as people write it: `priceText(12840n)` is "€128.40". */
export function priceText(amount: bigint | number, currency = shopCurrency): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(formatUnits(BigInt(amount), currencyDecimals(currency)) as Intl.StringNumericLiteral);
}
