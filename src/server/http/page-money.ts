import { currencyDecimals } from '../../core/currency.ts';
import { formatUnits } from '../../core/money.ts';

/**
 * An amount of minor units as a person reads it, in the manner of the locale: `€128.40`, `₫12,345,678,900`. Exact,
 * since the formatter is given decimal text. The decimals are those of ISO 4217, which CLDR does not follow for all
 * currencies.
 */
export function moneyText(amount: bigint, currency: string, locale: string): string {
  const decimals = currencyDecimals(currency);
  const options = {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  } as const;
  return new Intl.NumberFormat([locale, 'en'], options).format(
    formatUnits(amount, decimals) as Intl.StringNumericLiteral,
  );
}
