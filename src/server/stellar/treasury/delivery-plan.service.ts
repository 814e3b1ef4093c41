import { basisPointsOf } from '../../../core/money.ts';
import type { PaymentPath, StellarMarket } from '../network.ts';
import { claimableReserve, type Delivery } from './batch.ts';
import type { Destinations } from './destination.ts';
import { type FailureCode, failure, type SendFailure } from './destination.ts';

export interface DeliveryPlanDeps {
  readonly network: Pick<StellarMarket, 'strictReceivePaths'>;
  readonly destinations: Destinations;
  /** Stroops by asset that the treasury could send now. Queued and running transfers are deducted. */
  readonly spendable: () => Promise<ReadonlyMap<string, bigint>>;
  /** The value of an amount in another asset, in stroops, at the market rate. Null without a reliable rate. */
  readonly worth: (asset: string, amount: bigint, inAsset: string) => Promise<bigint | null>;
}

/** An amount to be sent: stroops of an asset (wire text). */
export interface SumToSend {
  readonly asset: string;
  readonly amount: bigint;
  readonly destination: string;
  /** The asset in which the payer paid into the treasury, or null. */
  readonly paidIn: string | null;
  readonly hasMemo: boolean;
  /**
   * What the service received or debits for the sum, fixed before the path is searched. Null if it is the sum itself. The
   * path's own market cannot move it, so it bounds the cost.
   */
  readonly given: { readonly currency: string; readonly amount: bigint } | null;
  /** Whether the amount may be sent as a claimable balance. */
  readonly mayBePutAside: boolean;
}

/** How a sum is delivered, or why it cannot be delivered now. */
export type DeliveryPlan =
  | ({ readonly delivery: Delivery } & Conversion)
  | { readonly delivery: null; readonly failure: SendFailure };

/** Problems of a destination account for which a claimable balance is the solution: the money waits there. */
const canBePutAside: ReadonlySet<FailureCode> = new Set(['destination_missing', 'no_trustline']);

/**
 * Decides how a sum reaches its account. If the account cannot take an issued asset yet, the sum becomes a claimable
 * balance. Throws `StellarUnavailable` if the network does not answer.
 */
export async function planDelivery(deps: DeliveryPlanDeps, sum: SumToSend): Promise<DeliveryPlan> {
  const problem = await deps.destinations.problem(sum);
  const isPutAside = problem !== null && sum.mayBePutAside && canBePutAside.has(problem) && sum.asset !== 'XLM';
  if (problem !== null && !isPutAside) return { delivery: null, failure: failure(problem) };
  const conversion = await convert(deps, sum);
  if (typeof conversion === 'string') return { delivery: null, failure: failure(conversion) };
  if (!isPutAside) return { delivery: 'payment', ...conversion };
  const spent = conversion.sourceAsset === 'XLM' ? conversion.sendMax : 0n;
  const hasReserve = ((await deps.spendable()).get('XLM') ?? 0n) >= spent + claimableReserve;
  if (!hasReserve) return { delivery: null, failure: failure('treasury_underfunded') };
  return { delivery: 'claimable_balance', ...conversion };
}

/** Spends the asset that the payer paid in, else the sum's own asset, else the asset whose balance shrinks least. */
async function convert(deps: DeliveryPlanDeps, sum: SumToSend): Promise<Conversion | FailureCode> {
  const spendable = await deps.spendable();
  const isThere = (spendable.get(sum.asset) ?? 0n) >= sum.amount;
  const asItIs = isThere ? { sourceAsset: sum.asset, sendMax: sum.amount, path: [] } : null;
  if (asItIs !== null && (sum.paidIn === null || sum.paidIn === sum.asset)) return asItIs;
  // If the treasury holds enough of the sum's asset, it spends another asset only if the payer paid in that asset.
  const mayGive = (asset: string) => asset !== sum.asset && (asItIs === null || asset === sum.paidIn);
  const sources = [...spendable].filter(([asset, amount]) => mayGive(asset) && amount > 0n);
  const found = await findWays(deps, sum, new Map(sources));
  const way = bestWay(found.ways, sum.paidIn);
  if (way !== null) return { sourceAsset: way.path.sourceAsset, sendMax: way.sendMax, path: way.path.path };
  if (asItIs !== null) return asItIs;
  return found.isTooDear ? 'price_moved' : 'treasury_underfunded';
}

async function findWays(
  deps: DeliveryPlanDeps,
  sum: SumToSend,
  sources: ReadonlyMap<string, bigint>,
): Promise<{ readonly ways: readonly Way[]; readonly isTooDear: boolean }> {
  if (sources.size === 0) return { ways: [], isTooDear: false };
  const paths = await deps.network.strictReceivePaths({
    sourceAssets: [...sources.keys()],
    asset: sum.asset,
    amount: sum.amount,
  });
  const ways: Way[] = [];
  let isTooDear = false;
  for (const path of paths) {
    const fair = await fairCost(deps, sum, path.sourceAsset);
    const sendMax = fair === null ? null : sendMaxOf(path.sourceAmount, fair);
    if (sendMax === null) isTooDear = true;
    else ways.push({ path, sendMax, spendable: sources.get(path.sourceAsset) ?? 0n });
  }
  return { ways, isTooDear };
}

/**
 * The fair cost of a sum in the source asset: its market value now, but no more than the value that was given for it.
 * Otherwise an issuer could raise the price of its asset between quote and delivery. Null without a reliable rate.
 */
async function fairCost(
  { worth }: DeliveryPlanDeps,
  { asset, amount, given }: SumToSend,
  source: string,
): Promise<bigint | null> {
  const [market, value] = await Promise.all([
    worth(asset, amount, source),
    given === null ? null : given.currency === source ? given.amount : worth(given.currency, given.amount, source),
  ]);
  if (market === null || given === null) return market;
  if (value === null) return null;
  return value < market ? value : market;
}

/** The asset that leaves the treasury for a sum, and the largest amount of it (stroops). */
interface Conversion {
  readonly sourceAsset: string;
  readonly sendMax: bigint;
  readonly path: readonly string[];
}

/** Largest accepted excess of a conversion's cost over the market rate, in basis points. */
const fairBasisPoints = 300;
/** Accepted price move between finding a path and using it, in basis points. */
const slippageBasisPoints = 100;

/**
 * The largest amount that a path may spend for a sum: its cost plus slippage, but at most 3 % above the fair price.
 * Null if the path already costs more. `fair` is the value of the sum in the source asset.
 */
export function sendMaxOf(cost: bigint, fair: bigint): bigint | null {
  const most = fair + basisPointsOf(fair, fairBasisPoints);
  if (cost > most) return null;
  const slack = cost + basisPointsOf(cost, slippageBasisPoints);
  return slack < most ? slack : most;
}

/** A path that delivers a sum, its largest cost, and the treasury's balance of its source asset. */
export interface Way {
  readonly path: PaymentPath;
  readonly sendMax: bigint;
  readonly spendable: bigint;
}

/**
 * The way from the preferred asset, else the way that takes the smallest part of a balance. Null if none is affordable.
 */
export function bestWay(ways: readonly Way[], preferred: string | null): Way | null {
  const affordable = ways.filter(way => way.sendMax <= way.spendable);
  const wanted = affordable.filter(way => way.path.sourceAsset === preferred);
  const candidates = wanted.length > 0 ? wanted : affordable;
  return candidates.reduce<Way | null>((best, way) => (best === null || isLighter(way, best) ? way : best), null);
}

/** Whether `way` takes a smaller part of the treasury's balance than `other`. Compares without division. */
function isLighter(way: Way, other: Way): boolean {
  return way.sendMax * other.spendable < other.sendMax * way.spendable;
}
