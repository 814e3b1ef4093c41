import { createCache } from '../cache.ts';
import { currencyDecimals } from '../currency.ts';
import { formatUnits } from '../money.ts';
import { printedLocale } from './locale.ts';

/** Maximum number of cached formats of each kind. Creating a format costs far more than using it. */
const mostFormats = 200;

function cached<Variant extends string, Format extends object>(make: (locales: string[], variant: Variant) => Format) {
  const formats = createCache<Format>(mostFormats);
  return (locale: string, variant: Variant): Format =>
    formats(`${variant} ${locale}`, () => make(formatLocales(locale), variant));
}

const moneyFormat = cached((locales, currency: string) => {
  const decimals = currencyDecimals(currency);
  return new Intl.NumberFormat(locales, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
});

type DateStyle = 'long' | 'medium' | 'day';

const dateFormat = cached(
  (locales, style: DateStyle) =>
    new Intl.DateTimeFormat(locales, {
      ...(style === 'day' ? ({ month: 'long', day: 'numeric' } as const) : { dateStyle: style }),
      timeZone: 'UTC',
      calendar: 'gregory',
    }),
);

const plainFormat = cached(
  (locales, of: 'number' | 'percent') =>
    new Intl.NumberFormat(locales, {
      ...(of === 'percent' && ({ style: 'unit', unit: 'percent', unitDisplay: 'short' } as const)),
      maximumFractionDigits: 20,
    }),
);

/** The locales for a formatter: the locale, then `en` as fallback. Only `en` if the product lacks the language. */
export function formatLocales(locale: string): string[] {
  return [...new Set([printedLocale(locale), 'en'])];
}

/**
 * An amount of minor units in the locale's form: `€128.40`, `₫12,345,678,900`. The text is exact, because the formatter
 * gets decimal text. The decimals are those of ISO 4217; CLDR differs for some currencies. Negative amounts have the
 * true minus sign (U+2212), which some locales of CLDR already use.
 */
export function moneyText(amount: bigint, currency: string, locale: string): string {
  const text = formatUnits(amount, currencyDecimals(currency));
  return moneyFormat(locale, currency)
    .format(text as Intl.StringNumericLiteral)
    .replace('-', '\u2212');
}

/**
 * A calendar date (`2026-12-24`) in the locale's form: `December 24, 2026`. No time zone applies. The style `day` omits
 * the year: `December 24`.
 */
export function dateText(date: string, locale: string, style: DateStyle = 'long'): string {
  return dateFormat(locale, style).format(Date.parse(`${date.slice(0, 10)}T00:00:00Z`));
}

/** A percentage given as decimal text (`"7.7"`): `7.7%`, `7,7 %`. */
export function percentText(percent: string, locale: string): string {
  return plainFormat(locale, 'percent').format(percent as Intl.StringNumericLiteral);
}

/** A quantity or rate given as decimal text (`"1234.5"`), with all its decimals: `1,234.5`. */
export function numberText(number: string, locale: string): string {
  return plainFormat(locale, 'number').format(number as Intl.StringNumericLiteral);
}
