import { basisPointsOf } from '../../../core/money.ts';
import type { Order, Planned } from '../../outbound/sender.ts';
import type { PaymentPath, StellarMarket } from '../network.ts';
import { claimableReserve, type Delivery, hasMemo } from './batch.ts';
import { type Destinations, type FailureCode, failure } from './destination.ts';

export interface DeliveryPlanDeps {
  readonly network: Pick<StellarMarket, 'strictReceivePaths'>;
  readonly destinations: Destinations;
  /** Stroops by asset that the treasury could send now. Queued and running transfers are deducted. */
  readonly spendable: () => Promise<ReadonlyMap<string, bigint>>;
  /** The value of an amount in another asset, in stroops, at the market rate. Null without a reliable rate. */
  readonly worth: (asset: string, amount: bigint, inAsset: string) => Promise<bigint | null>;
}

/** What a plan asks the treasury and the market. */
type MarketDeps = Omit<DeliveryPlanDeps, 'destinations'>;

/** Problems of a destination account for which a claimable balance is the solution: the money waits there. */
const canBePutAside: ReadonlySet<FailureCode> = new Set(['destination_missing', 'no_trustline']);

/**
 * Decides how an order reaches its account. If the account cannot take an issued asset yet, the order becomes a
 * claimable balance. Throws `StellarUnavailable` if the network does not answer.
 */
export async function planDelivery(deps: DeliveryPlanDeps, order: Order): Promise<Planned> {
  const { asset, amount, claimable, conversion: isConversion = false } = order;
  const destination = order.destination['address'] ?? '';
  const money = { asset, amount, destination, hasMemo: hasMemo(order.destination), isConversion };
  const problem = await deps.destinations.problem(money);
  const isPutAside = problem !== null && claimable && canBePutAside.has(problem) && asset !== 'XLM';
  if (problem !== null && !isPutAside) return { state: 'failed', ...failure(problem) };
  const conversion = await convert(deps, order);
  if (typeof conversion === 'string') return { state: 'held', ...failure(conversion) };
  if (!isPutAside) return readyAs('payment', order, conversion);
  const spent = conversion.asset === 'XLM' ? conversion.max : 0n;
  const hasReserve = ((await deps.spendable()).get('XLM') ?? 0n) >= spent + claimableReserve;
  if (!hasReserve) return { state: 'held', ...failure('treasury_underfunded') };
  return readyAs('claimable_balance', order, conversion);
}

/** The most of the asset that the treasury can send now. If `wanted` exceeds its balance, but it can buy so much: that. */
export async function coverageOf(deps: MarketDeps, asset: string, wanted: bigint): Promise<bigint> {
  const held = (await deps.spendable()).get(asset) ?? 0n;
  if (held >= wanted) return held;
  const way = await convert(deps, {
    asset,
    amount: wanted,
    destination: {},
    given: null,
    paidIn: null,
    claimable: false,
  });
  return typeof way === 'string' ? held : wanted;
}

function readyAs(delivery: Delivery, { destination, conversion }: Order, source: Conversion): Planned {
  const fields = ['address', 'memo', 'memo_type'].flatMap(name => {
    const value = destination[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = conversion === true ? { conversion: 'own' } : {};
  return { state: 'ready', destination: { ...Object.fromEntries(fields), delivery, ...own }, source };
}

/**
 * Spends the asset that the payer paid in, else the sum's own asset, else the asset whose balance shrinks least. A
 * conversion spends only the asset that the payer paid in.
 */
async function convert(deps: MarketDeps, sum: Order): Promise<Conversion | FailureCode> {
  const spendable = await deps.spendable();
  const isConversion = sum.conversion === true;
  const isThere = !isConversion && (spendable.get(sum.asset) ?? 0n) >= sum.amount;
  const asItIs = isThere ? { asset: sum.asset, max: sum.amount, path: [] } : null;
  if (asItIs !== null && (sum.paidIn === null || sum.paidIn === sum.asset)) return asItIs;
  // If the treasury holds enough of the sum's asset, it spends another asset only if the payer paid in that asset.
  const isOnlyPaidIn = isConversion || asItIs !== null;
  const mayGive = (asset: string) => asset !== sum.asset && (!isOnlyPaidIn || asset === sum.paidIn);
  const sources = [...spendable].filter(([asset, amount]) => mayGive(asset) && amount > 0n);
  const found = await findWays(deps, sum, new Map(sources));
  const way = bestWay(found.ways, sum.paidIn);
  if (way !== null) return { asset: way.path.sourceAsset, max: way.sendMax, path: way.path.path };
  if (asItIs !== null) return asItIs;
  return found.isTooDear ? 'price_moved' : 'treasury_underfunded';
}

async function findWays(
  deps: MarketDeps,
  sum: Order,
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
  { worth }: MarketDeps,
  { asset, amount, given }: Order,
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

/** The asset that leaves the treasury for an order, and the largest amount of it (stroops). */
type Conversion = NonNullable<Extract<Planned, { state: 'ready' }>['source']>;

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
