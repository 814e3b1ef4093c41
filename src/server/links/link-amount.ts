import type { CustomAmount, LinkChoice } from '../../api/link.ts';
import { currencyDecimals } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { divideRounded, formatUnits, maxWireAmount } from '../../core/money.ts';
import { dueOf, type LinkRow } from './link.ts';

/** How much of one currency another is worth: `target = source × numerator / denominator`, in smallest units. */
export interface Exchange {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The link's currency first, then those that it offers besides. */
export function currenciesOf(link: Pick<LinkRow, 'currency' | 'custom_amount'>): string[] {
  return [...new Set([link.currency, ...(link.custom_amount?.currencies ?? [])])];
}

/** What a payer may pay in the link's own currency; null: the amount stands. */
export function ownChoice(link: LinkRow): LinkChoice | null {
  const due = dueOf(link);
  if (due !== null) {
    if (!link.allow_partial) return null;
    return { currency: link.currency, min: 1, max: Number(due), preset: Number(due), presets: [] };
  }
  const { min = null, max = null, preset = null, presets = [] } = link.custom_amount ?? {};
  return { currency: link.currency, min, max, preset, presets };
}

/** The same choice in another currency: bounds exchanged, what is offered also rounded to two figures, as prices are. */
export function exchangedChoice(choice: LinkChoice, currency: string, exchange: Exchange): LinkChoice {
  const exact = (amount: number | null) => (amount === null ? null : Number(exchanged(BigInt(amount), exchange)));
  const min = exact(choice.min);
  const max = exact(choice.max);
  const offered = (amount: number) => {
    const round = Number(twoFigures(exchanged(BigInt(amount), exchange)));
    return Math.min(Math.max(round, min ?? 1), max ?? Number(maxWireAmount));
  };
  return {
    currency,
    min,
    max,
    preset: choice.preset === null ? null : offered(choice.preset),
    presets: [...new Set(choice.presets.map(offered))],
  };
}

/** At least one unit, at most what the wire carries. */
function exchanged(amount: bigint, { numerator, denominator }: Exchange): bigint {
  const value = divideRounded(amount * numerator, denominator);
  return value < 1n ? 1n : value > maxWireAmount ? maxWireAmount : value;
}

function twoFigures(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, String(amount).length - 2));
  return divideRounded(amount, unit) * unit;
}

/**
 * Refuses an amount that the choice does not take: none, one with more decimals than the currency has, one below or
 * above the bounds. Exchanged bounds move with the rate: the error says what they are now.
 */
export function assertChosen(amount: number | undefined, choice: LinkChoice): bigint {
  const { currency, min, max } = choice;
  if (amount === undefined) {
    throw new PayError('parameter_missing', 'amount is missing. The payer of this link names it.', { param: 'amount' });
  }
  if (!Number.isSafeInteger(amount)) {
    throw outOfRange(`amount takes a whole number of the smallest unit: ${currency} has no smaller one.`);
  }
  const least = min ?? 1;
  if (amount < least || (max !== null && amount > max)) {
    const text = (units: number) => `${formatUnits(BigInt(units), currencyDecimals(currency))} ${currency}`;
    throw outOfRange(`The least is ${text(least)}${max === null ? '' : `, the most ${text(max)}`}.`);
  }
  return BigInt(amount);
}

/** Refuses another amount than the one that stands; none is fine. */
export function assertFixed(amount: number | undefined, { amount: due, currency }: LinkRow): bigint {
  if (due === null) throw new RangeError('a link without an amount has a choice');
  if (amount === undefined || amount === Number(due)) return due;
  throw outOfRange(
    `This link asks for ${formatUnits(due, currencyDecimals(currency))} ${currency}, and takes no part.`,
  );
}

function outOfRange(message: string): PayError {
  return new PayError('amount_out_of_range', message, { param: 'amount' });
}

/** Refuses bounds and offers that contradict one another. Throws `amount_out_of_range` naming the field. */
export function assertCustomAmount({ min = 1, max, preset, presets = [] }: CustomAmount): void {
  const wrong = (field: string, message: string) =>
    new PayError('amount_out_of_range', message, { param: `custom_amount.${field}` });
  if (max !== undefined && max < min) throw wrong('max', 'custom_amount.max must not be below custom_amount.min.');
  const isOutside = (amount: number) => amount < min || (max !== undefined && amount > max);
  if (preset !== undefined && isOutside(preset)) throw wrong('preset', 'preset must lie between min and max.');
  const outside = presets.findIndex(isOutside);
  if (outside >= 0) throw wrong(`presets[${outside}]`, 'Every preset must lie between min and max.');
}
