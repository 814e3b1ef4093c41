/** `139.21 USDC`: an amount of an on-chain asset (`USDC:G…` or `XLM`), at least two decimals, none lost. */
export function assetText(amount: string, asset: string, locale: string): string {
  const [code] = asset.split(':');
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 7 });
  return `${format.format(amount as Intl.StringNumericLiteral)} ${code}`;
}
