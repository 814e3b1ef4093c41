import type { Rate } from '../../core/rate.ts';
import type { QuotedPrice } from '../payments/crypto/deposit.store.ts';

/** A rate from what came to the currency of the invoice, and when it held. */
export interface DatedRate {
  readonly rate: Rate;
  readonly at: Date;
}

/** The market this long after an arrival still counts as the market at the arrival: no price is believed for longer. */
const presentMs = 120_000;

/**
 * The rate at which money is valued that arrived at a moment: the market's, when that is known right then. Later the rate
 * nearest to the arrival counts of those that were told its payer and the market's; never a market from later than needed.
 * Null while the market, unknown now, may still turn out to be the nearest. All moments are by one clock.
 */
export function arrivalRate(
  arrived: Date,
  told: readonly DatedRate[],
  market: DatedRate | null,
  now: Date,
): DatedRate | null {
  const distance = (moment: Date) => Math.abs(moment.getTime() - arrived.getTime());
  const [nearest] = told.toSorted((a, b) => distance(a.at) - distance(b.at));
  const isPresent = distance(now) <= presentMs;
  if (isPresent || nearest === undefined || distance(now) < distance(nearest.at)) return market;
  return nearest;
}

/** The rates of the prices in an asset that the payer of a payment was given: smallest units to minor units. */
export function quotedRates(prices: readonly QuotedPrice[], asset: string): DatedRate[] {
  const own = prices.filter(price => price.asset === asset);
  return own.map(({ amount, payment_amount: value, created_at: at }) => ({
    rate: { numerator: value, denominator: amount },
    at,
  }));
}
