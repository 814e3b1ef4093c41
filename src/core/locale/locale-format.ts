import { currencyDecimals } from '../currency.ts';
import { formatUnits } from '../money.ts';
import { isLocale } from './locale.ts';

/** Formats cost far more to make than to use; so many are kept, then all are made anew. */
const mostFormats = 200;
const numberFormat = kept(
  (locale: string, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(formatLocales(locale), options),
);
const dateFormat = kept(
  (locale: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(formatLocales(locale), options),
);

function kept<Options extends object, Format>(make: (locale: string, options: Options) => Format) {
  const formats = new Map<string, Format>();
  return (locale: string, options: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = formats.get(key);
    if (known !== undefined) return known;
    if (formats.size >= mostFormats) formats.clear();
    const format = make(locale, options);
    formats.set(key, format);
    return format;
  };
}

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
  return numberFormat(locale, options).format(formatUnits(amount, decimals) as Intl.StringNumericLiteral);
}

/** A calendar date (`2026-12-24`) as a person reads it: `24 December 2026`. The date of no time zone but its own. */
export function dateText(date: string, locale: string, style: 'long' | 'medium' = 'long'): string {
  return dateFormat(locale, { dateStyle: style, timeZone: 'UTC', calendar: 'gregory' }).format(
    Date.parse(`${date.slice(0, 10)}T00:00:00Z`),
  );
}

/** A share given in percent as decimal text (`"7.7"`): `7.7%`, `7,7 %`. */
export function percentText(percent: string, locale: string): string {
  const format = numberFormat(locale, {
    style: 'unit',
    unit: 'percent',
    unitDisplay: 'short',
    maximumFractionDigits: 20,
  });
  return format.format(percent as Intl.StringNumericLiteral);
}

/** A quantity or a rate given as decimal text (`"1234.5"`), with as many decimals as it has: `1,234.5`. */
export function numberText(number: string, locale: string): string {
  const format = numberFormat(locale, { maximumFractionDigits: 20 });
  return format.format(number as Intl.StringNumericLiteral);
}
