import { divideRounded, divideUp } from './money.ts';

/**
 * An exchange rate as an exact ratio of smallest units: `target = source × numerator / denominator`. The ratio includes
 * the difference in decimals.
 */
export interface Rate {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The value of a source amount in the target, rounded half away from zero. */
export function convert(amount: bigint, rate: Rate): bigint {
  return divideRounded(amount * rate.numerator, rate.denominator);
}

/** Like `convert`, but rounded up. For the amount that a payer must send. */
export function convertUp(amount: bigint, rate: Rate): bigint {
  return divideUp(amount * rate.numerator, rate.denominator);
}

/** Decimal text of the price of one whole source unit in whole target units, with at most `places` decimals. */
export function formatRate(rate: Rate, sourceDecimals: number, targetDecimals: number, places = 10): string {
  const scaled = divideRounded(
    rate.numerator * 10n ** BigInt(sourceDecimals + places),
    rate.denominator * 10n ** BigInt(targetDecimals),
  );
  const digits = scaled.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
