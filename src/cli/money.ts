import { InvalidArgumentError } from 'commander';
import { currencyDecimals, parseCurrency } from '../core/currency.ts';
import { formatUnits } from '../core/money.ts';

/** An amount such as `42.00 EUR`. If this version does not know the currency, the amount stays in its smallest unit. */
export function moneyText(amount: number, currency: string): string {
  return parseCurrency(currency) === null
    ? `${amount} (smallest unit of ${currency})`
    : `${formatUnits(BigInt(amount), currencyDecimals(currency))} ${currency}`;
}

/** A positive whole number. Throws InvalidArgumentError. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number, such as 4200.');
}
