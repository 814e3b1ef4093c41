/**
 * Amounts as a person reads them. Browsers' own idea of a currency's decimals is not used: Chromium follows CLDR, which
 * gives 0 for HUF, COP, IDR, PKR and others whose ISO 4217 minor unit, which the wire uses, has 2 decimals.
 */
const noDecimals = 'BIFCLPDJFGNFISKJPYKMFKRWPYGRWFUGXUYIVNDVUVXAFXOFXPF';
const threeDecimals = 'BHDIQDJODKWDLYDOMRTND';

const isIn = (list: string, code: string) => list.indexOf(code) % 3 === 0;

/** Decimals of the currency's smallest unit, ISO 4217. */
export function decimalsOf(currency: string): number {
  if (isIn(noDecimals, currency)) return 0;
  return isIn(threeDecimals, currency) ? 3 : 2;
}

/** Minor units as decimal text without grouping: 12840, 2 → `128.40`. */
export function decimalText(amount: number, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

/** The first format of a page costs a phone as much as a whole picture: it is made where nobody waits for it. */
export const warmUpMoney = () => new Intl.NumberFormat();

/** `€128.40`, in the manner of the locale. `amount` in minor units; exact up to 2^53−1. */
export function moneyText(amount: number, currency: string, locale: string): string {
  const decimals = decimalsOf(currency);
  const text = decimalText(amount, decimals);
  try {
    return new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(text as Intl.StringNumericLiteral);
  } catch {
    // Not a currency or locale this browser knows: the plain figures are still right.
    return `${text} ${currency}`;
  }
}

/** `139.21 USDC`: an amount of an on-chain asset (`USDC:G…` or `XLM`) to `decimals` places, two at least; on one line. */
export function assetText(amount: string, asset: string, locale: string, decimals = 2): string {
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: decimals });
  return `${format.format(amount as Intl.StringNumericLiteral)}\u00a0${asset.split(':')[0]}`;
}
