/**
 * Currency codes, joined to one text for each number of decimals. The API uses the minor units of ISO 4217. A browser's
 * decimals can differ: Chromium follows CLDR, which has 0 instead of 2 for HUF, COP, IDR, PKR and others.
 */
const noDecimals = 'BIFCLPDJFGNFISKJPYKMFKRWPYGRWFUGXUYIVNDVUVXAFXOFXPF';
const threeDecimals = 'BHDIQDJODKWDLYDOMRTND';

const isIn = (list: string, code: string) => list.indexOf(code) % 3 === 0;

/** Decimals of the currency's minor unit (ISO 4217). */
export function decimalsOf(currency: string): number {
  if (isIn(noDecimals, currency)) return 0;
  return isIn(threeDecimals, currency) ? 3 : 2;
}

/** Minor units as decimal text without grouping. For example, 12840 with 2 decimals is `128.40`. */
export function decimalText(amount: number, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

/** Creates a number format in idle time. On a phone, the first format of a page takes as long as a render. */
export const warmUpMoney = () => new Intl.NumberFormat();

/** The formats by locale and currency. A format is slow to create, and lists of the dashboard show many amounts. */
const formats: Record<string, Intl.NumberFormat> = {};

/** An amount in the locale's form, for example `€128.40`. `amount` is in minor units, and exact up to 2^53−1. */
export function moneyText(amount: number, currency: string, locale: string): string {
  const decimals = decimalsOf(currency);
  const text = decimalText(amount, decimals);
  try {
    const key = locale + currency;
    formats[key] ??= new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    return formats[key].format(text as Intl.StringNumericLiteral);
  } catch {
    // Plain digits, because the browser does not know the currency or the locale.
    return `${text} ${currency}`;
  }
}

/** `139.21 USDC`: an on-chain amount (`USDC:G…` or `XLM`) with 2 to `decimals` decimals, kept on one line. */
export function assetText(amount: string, asset: string, locale: string, decimals = 2): string {
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: decimals });
  return `${format.format(amount as Intl.StringNumericLiteral)}\u00a0${asset.split(':')[0]}`;
}
