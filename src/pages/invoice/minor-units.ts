/** An amount of minor units as exact decimal text. */
export function decimalText(amount: number, decimals: number): string {
  const text = String(amount).padStart(decimals + 1, '0');
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

/**
 * The format of a currency. The server names the currency's decimals (ISO 4217), because those of a browser can differ:
 * Chromium has 0 instead of 2 for HUF, COP and others.
 */
export function moneyFormat(locale: string, currency: string, decimals: number): Intl.NumberFormat {
  return new Intl.NumberFormat([locale, 'en'], {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
