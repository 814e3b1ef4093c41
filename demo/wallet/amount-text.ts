/** Formats an amount: `1250.5000000` becomes `1,250.5`. */
export function amountText(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = fraction.replace(/0+$/, '');
  return rest === '' ? grouped : `${grouped}.${rest}`;
}

/** The code of an asset. */
export function codeOf(asset: string): string {
  return asset.split(':')[0] ?? asset;
}

/** Formats an amount with its asset: `1,250.5 USDC`. */
export function moneyText(amount: string, asset: string): string {
  return `${amountText(amount)} ${codeOf(asset)}`;
}

/** The beginning and end of an address or a hash. */
export function shortText(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 6)}…${text.slice(-6)}`;
}

/** The time of day for today, otherwise the date. */
export function timeText(at: string, now: Date): string {
  const then = new Date(at);
  const isToday = then.toDateString() === now.toDateString();
  return isToday
    ? then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}
