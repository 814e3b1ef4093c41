import { basisPointsOf, divideDown, divideUp } from '../money.ts';
import type { Rate } from '../rate.ts';

/** The fee of a ramp: a share of the money, and a fixed part in its currency's smallest units. */
export interface RampFee {
  /** Hundredths of a percent of the money before the fee, at most 5,000. */
  readonly basisPoints: number;
  readonly fixed: bigint;
}

/**
 * The price of coins that are bought or sold. `gross` is the money in minor units: what a buyer pays, fee included, or
 * what the coins of a seller are worth before the fee. `coins` are smallest units of the asset.
 */
export interface RampPrice {
  readonly gross: bigint;
  readonly fee: bigint;
  readonly coins: bigint;
}

/** The fee of an amount, in its minor units. It never exceeds the amount. */
export function feeOf(gross: bigint, { basisPoints, fixed }: RampFee): bigint {
  const fee = basisPointsOf(gross, basisPoints) + fixed;
  return fee < gross ? fee : gross;
}

/** Coins for a paid amount. The rate is from minor units to coins. Coins are rounded down: the rest stays in the books. */
export function buyFor(gross: bigint, rate: Rate, rule: RampFee): RampPrice {
  const fee = feeOf(gross, rule);
  return { gross, fee, coins: convertDown(gross - fee, rate) };
}

/** Coins for an amount after fees, or the amount for coins, rounded down. */
export function convertDown(given: bigint, { numerator, denominator }: Rate): bigint {
  return divideDown(given * numerator, denominator);
}

/** The smallest amount after fees that buys the coins, or the fewest coins that bring the amount. */
export function needed(wanted: bigint, { numerator, denominator }: Rate): bigint {
  return divideUp(wanted * denominator, numerator);
}

/** The smallest amount that buys at least the coins. The customer gets exactly these coins. */
export function buyCoins(coins: bigint, rate: Rate, rule: RampFee): RampPrice {
  const gross = grossFor(needed(coins, rate), rule);
  return { gross, fee: feeOf(gross, rule), coins };
}

/** The money for sold coins, rounded down. The rate is from coins to minor units. */
export function sellCoins(coins: bigint, rate: Rate, rule: RampFee): RampPrice {
  const gross = convertDown(coins, rate);
  return { gross, fee: feeOf(gross, rule), coins };
}

/** The fewest coins that bring the money after the fee. The rate is from coins to minor units. */
export function sellFor(net: bigint, rate: Rate, rule: RampFee): RampPrice {
  const gross = grossFor(net, rule);
  return { gross, fee: feeOf(gross, rule), coins: needed(gross, rate) };
}

/** The smallest amount of which the fee leaves `net`. */
function grossFor(net: bigint, rule: RampFee): bigint {
  const share = 10_000n - BigInt(rule.basisPoints);
  let gross = divideUp((net + rule.fixed) * 10_000n, share);
  while (gross > 1n && leaves(gross - 1n, rule) >= net) gross--;
  while (leaves(gross, rule) < net) gross++;
  return gross;
}

function leaves(gross: bigint, rule: RampFee): bigint {
  return gross - feeOf(gross, rule);
}
