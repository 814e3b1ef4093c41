import { basisPointsOf, divideDown, divideUp } from '../money.ts';
import type { Rate } from '../rate.ts';

/** The fee of a purchase: a share of the paid amount, and a fixed part in its currency's smallest units. */
export interface RampFee {
  /** Hundredths of a percent of the paid amount, at most 5,000. */
  readonly basisPoints: number;
  readonly fixed: bigint;
}

/**
 * The price of coins that are bought with money. `gross` is what the customer pays, in minor units, and includes `fee`.
 * `coins` are smallest units of the asset.
 */
export interface Purchase {
  readonly gross: bigint;
  readonly fee: bigint;
  readonly coins: bigint;
}

/** The fee of a paid amount, in its minor units. It never exceeds the amount. */
export function feeOf(gross: bigint, { basisPoints, fixed }: RampFee): bigint {
  const fee = basisPointsOf(gross, basisPoints) + fixed;
  return fee < gross ? fee : gross;
}

/** Coins for a paid amount. The rate is from minor units to coins. Coins are rounded down: the rest stays in the books. */
export function buyFor(gross: bigint, rate: Rate, rule: RampFee): Purchase {
  const fee = feeOf(gross, rule);
  return { gross, fee, coins: coinsFor(gross - fee, rate) };
}

/** Coins for an amount after fees, rounded down. */
export function coinsFor(net: bigint, { numerator, denominator }: Rate): bigint {
  return divideDown(net * numerator, denominator);
}

/** The smallest amount after fees that buys the coins. */
export function netFor(coins: bigint, { numerator, denominator }: Rate): bigint {
  return divideUp(coins * denominator, numerator);
}

/** The smallest amount that buys at least the coins. The customer gets exactly these coins. */
export function buyCoins(coins: bigint, rate: Rate, rule: RampFee): Purchase {
  const net = netFor(coins, rate);
  const share = 10_000n - BigInt(rule.basisPoints);
  let gross = divideUp((net + rule.fixed) * 10_000n, share);
  while (gross > 1n && leaves(gross - 1n, rule) >= net) gross--;
  while (leaves(gross, rule) < net) gross++;
  return { gross, fee: feeOf(gross, rule), coins };
}

function leaves(gross: bigint, rule: RampFee): bigint {
  return gross - feeOf(gross, rule);
}
