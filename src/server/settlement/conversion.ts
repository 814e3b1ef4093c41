import { basisPointsOf } from '../../core/money.ts';
import type { PaymentPath } from '../stellar/network.ts';

/** How a sum leaves the treasury: as what, and at most how much of it (stroops). */
export interface Conversion {
  readonly sourceAsset: string;
  readonly sendMax: bigint;
  readonly path: readonly string[];
}

/** How much more than the market’s price by the rates a conversion may cost, in basis points. Beyond it something is wrong, and nothing is sent. */
const fairBasisPoints = 300;
/** How far the order book may move between finding a path and using it, in basis points. */
const slippageBasisPoints = 100;

/**
 * The most that may be given for a sum along a path: what it costs now and a little more, never more than the fair price
 * allows. Null: the path costs too much already. `fair` is what the sum is worth of the source asset.
 */
export function sendMaxOf(cost: bigint, fair: bigint): bigint | null {
  const most = fair + basisPointsOf(fair, fairBasisPoints);
  if (cost > most) return null;
  const slack = cost + basisPointsOf(cost, slippageBasisPoints);
  return slack < most ? slack : most;
}

/** A way to deliver a sum, with the most that it may take and what the treasury has of its source. */
export interface Way {
  readonly path: PaymentPath;
  readonly sendMax: bigint;
  readonly spendable: bigint;
}

/**
 * The way to take: out of the asset that was paid in, where there is one; else the one that takes the smallest part of
 * what the treasury holds. Null: none can be afforded.
 */
export function bestWay(ways: readonly Way[], preferred: string | null): Way | null {
  const affordable = ways.filter(way => way.sendMax <= way.spendable);
  const wanted = affordable.filter(way => way.path.sourceAsset === preferred);
  const candidates = wanted.length > 0 ? wanted : affordable;
  return candidates.reduce<Way | null>((best, way) => (best === null || isLighter(way, best) ? way : best), null);
}

/** Whether the way takes a smaller part of its asset than the other one: compared crosswise, without division. */
function isLighter(way: Way, other: Way): boolean {
  return way.sendMax * other.spendable < other.sendMax * way.spendable;
}
