import { currencyDecimals } from '../../core/currency.ts';
import { isLocale } from '../../core/locale.ts';
import { formatUnits } from '../../core/money.ts';

/** The locales to format with: the one asked for, and `en` where it has no data or is no locale at all. */
export function formatLocales(locale: string): string[] {
  return isLocale(locale) ? [locale, 'en'] : ['en'];
}

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
  return new Intl.NumberFormat(formatLocales(locale), options).format(
    formatUnits(amount, decimals) as Intl.StringNumericLiteral,
  );
}
