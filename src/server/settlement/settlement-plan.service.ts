import { basisPointsOf } from '../../core/money.ts';
import type { PaymentPath, StellarMarket } from '../stellar/network.ts';
import type { Delivery } from '../stellar/treasury/batch.ts';
import type { Destinations } from '../stellar/treasury/destination.ts';
import { type FailureCode, failure, type SendFailure } from '../stellar/treasury/send-failure.ts';

/** What planning a settlement needs. */
export interface SettlementPlanDeps {
  readonly network: Pick<StellarMarket, 'strictReceivePaths'>;
  readonly destinations: Destinations;
  /** What the treasury could send now: stroops by asset, what is on its way already taken off. */
  readonly spendable: () => Promise<ReadonlyMap<string, bigint>>;
  /** What an amount of the first asset is worth of the second, in stroops, by the rates; null when no sound rate is known. */
  readonly worth: (asset: string, amount: bigint, inAsset: string) => Promise<bigint | null>;
}

/** A sum to be settled: stroops of an asset (wire text). */
export interface SumToSettle {
  readonly asset: string;
  readonly amount: bigint;
  readonly destination: string;
  /** The asset in which it was paid into the treasury, or null. */
  readonly paidIn: string | null;
}

/** How a sum is to be delivered, or why it cannot be now. */
export type SettlementPlan =
  | ({ readonly delivery: Delivery } & Conversion)
  | { readonly delivery: null; readonly failure: SendFailure };

/** What an account lacks that the money can wait for on the ledger itself. */
const canBePutAside: ReadonlySet<FailureCode> = new Set(['destination_missing', 'no_trustline']);

/**
 * Decides how a sum reaches its merchant. An issued asset that the account cannot take yet is put aside for it on the
 * ledger. Throws `StellarUnavailable` when the network cannot be asked.
 */
export async function planSettlement(deps: SettlementPlanDeps, sum: SumToSettle): Promise<SettlementPlan> {
  const problem = await deps.destinations.problem({ ...sum, hasMemo: false });
  const isPutAside = problem !== null && canBePutAside.has(problem) && sum.asset !== 'XLM';
  if (problem !== null && !isPutAside) return { delivery: null, failure: failure(problem) };
  const conversion = await convert(deps, sum);
  if (typeof conversion === 'string') return { delivery: null, failure: failure(conversion) };
  return { delivery: isPutAside ? 'claimable_balance' : 'payment', ...conversion };
}

/** What was paid in goes on to the merchant; else what is there of the asset itself; else what costs the treasury least. */
async function convert(deps: SettlementPlanDeps, sum: SumToSettle): Promise<Conversion | FailureCode> {
  const spendable = await deps.spendable();
  const isThere = (spendable.get(sum.asset) ?? 0n) >= sum.amount;
  const asItIs = isThere ? { sourceAsset: sum.asset, sendMax: sum.amount, path: [] } : null;
  if (asItIs !== null && (sum.paidIn === null || sum.paidIn === sum.asset)) return asItIs;
  const others = [...spendable].filter(([asset, amount]) => asset !== sum.asset && amount > 0n);
  const found = await findWays(deps, sum, asItIs === null ? new Map(others) : preferredOnly(others, sum.paidIn));
  const way = bestWay(found.ways, sum.paidIn);
  if (way !== null) return { sourceAsset: way.path.sourceAsset, sendMax: way.sendMax, path: way.path.path };
  if (asItIs !== null) return asItIs;
  return found.isTooDear ? 'price_moved' : 'treasury_underfunded';
}

/** Where the asset itself is there, only what was paid in comes before it. */
function preferredOnly(
  others: readonly (readonly [string, bigint])[],
  paidIn: string | null,
): ReadonlyMap<string, bigint> {
  return new Map(others.filter(([asset]) => asset === paidIn));
}

async function findWays(
  deps: SettlementPlanDeps,
  sum: SumToSettle,
  sources: ReadonlyMap<string, bigint>,
): Promise<{ readonly ways: readonly Way[]; readonly isTooDear: boolean }> {
  if (sources.size === 0) return { ways: [], isTooDear: false };
  const paths = await deps.network.strictReceivePaths({
    source: { assets: [...sources.keys()] },
    asset: sum.asset,
    amount: sum.amount,
  });
  const ways: Way[] = [];
  let isTooDear = false;
  for (const path of paths) {
    const fair = await deps.worth(sum.asset, sum.amount, path.sourceAsset);
    const sendMax = fair === null ? null : sendMaxOf(path.sourceAmount, fair);
    if (sendMax === null) isTooDear = true;
    else ways.push({ path, sendMax, spendable: sources.get(path.sourceAsset) ?? 0n });
  }
  return { ways, isTooDear };
}

/** How a sum leaves the treasury: as what, and at most how much of it (stroops). */
interface Conversion {
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
