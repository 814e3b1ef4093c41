import type { OperationWire } from '@stellar/stellar-sdk/xdr';
import { divideRounded, parseUnits } from '../../../core/money.ts';
import type { RateSource } from '../../../server/rates/rates.ts';
import type { Ledger } from '../core/ledger.ts';
import type { Offer } from '../core/state/entries.ts';
import { native } from '../core/state/identifiers.ts';
import type { Confirmations } from '../node/confirmations.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import { rootKey, type SandboxKey, seededAssets, seededKeys } from './accounts.ts';
import { operation, payment, sellOffer, signedEnvelope } from './transaction-builder.ts';

/** An offer that the market maker keeps in an order book. */
interface PlannedOffer {
  readonly selling: string;
  readonly buying: string;
  /** The amount in stroops. */
  readonly amount: bigint;
  readonly price: { readonly n: number; readonly d: number };
}

/** A pool that the market maker funds once, at the market price. The assets are in the protocol’s order. */
interface PlannedPool {
  readonly assetA: string;
  readonly assetB: string;
  readonly amountA: bigint;
  readonly amountB: bigint;
}

export interface MarketPlan {
  readonly offers: readonly PlannedOffer[];
  readonly pools: readonly PlannedPool[];
}

/** Pairs of assets with offers in both directions, by their names in the sandbox’s rates. */
const offeredPairs = [
  ['XLM', 'USDC'],
  ['USDC', 'EURC'],
  ['USDC', 'NGNC'],
  ['XLM', 'BRLC'],
  ['NGNC', 'KES'],
] as const;

/** Pairs of assets with a pool. XLM trades with EURC only in a pool. */
const pooledPairs = [
  ['XLM', 'USDC'],
  ['XLM', 'EURC'],
] as const;

/** The offers of each side of a book: value in dollars, and distance from the middle price. */
const levels = [
  { dollars: 100_000n, basisPoints: 10n },
  { dollars: 500_000n, basisPoints: 20n },
  { dollars: 2_000_000n, basisPoints: 50n },
  { dollars: 10_000_000n, basisPoints: 150n },
] as const;

const poolDollars = 2_000_000n;

const scale = 10n ** 18n;
const stroops = 10n ** 7n;

/** Plans pools at the sandbox’s rates, and offers slightly above them. Throws if an asset has no rate. */
export async function planMarket(rates: RateSource): Promise<MarketPlan> {
  const dollars = new Map<string, bigint>();
  for (const name of new Set([...offeredPairs, ...pooledPairs].flat())) {
    dollars.set(name, await dollarsOf(rates, name));
  }
  const worthOf = (name: string) => dollars.get(name) ?? scale;
  return {
    offers: offeredPairs.flatMap(([a, b]) => [...offersOf(a, b, worthOf), ...offersOf(b, a, worthOf)]),
    pools: pooledPairs.map(([a, b]) => ({
      assetA: assetOf(a),
      assetB: assetOf(b),
      amountA: unitsFor(poolDollars, worthOf(a)),
      amountB: unitsFor(poolDollars, worthOf(b)),
    })),
  };
}

/** The value of one unit in dollars, multiplied by 10^18. */
async function dollarsOf(rates: RateSource, name: string): Promise<bigint> {
  const reported = await rates.price(name, 'USD');
  const value = reported === null ? null : parseUnits(reported.price, 18);
  if (value === null || value <= 0n) throw new Error(`the sandbox market has no price for ${name}`);
  return value;
}

function assetOf(name: string): string {
  return seededAssets().find(({ rate }) => rate === name)?.asset ?? native;
}

function unitsFor(amount: bigint, value: bigint): bigint {
  return divideRounded(amount * scale * stroops, value);
}

function offersOf(selling: string, buying: string, worthOf: (name: string) => bigint): readonly PlannedOffer[] {
  return levels.map(({ dollars, basisPoints }) => ({
    selling: assetOf(selling),
    buying: assetOf(buying),
    amount: unitsFor(dollars, worthOf(selling)),
    price: ratio(worthOf(selling) * (10_000n + basisPoints), worthOf(buying) * 10_000n),
  }));
}

const largest = 2n ** 31n - 1n;

/** The price as a ratio of 31-bit integers, rounded to at most nine decimals. */
function ratio(numerator: bigint, denominator: bigint): { readonly n: number; readonly d: number } {
  let d = 1_000_000_000n;
  let n = divideRounded(numerator * d, denominator);
  while (n > largest && d > 1n) {
    d /= 10n;
    n = divideRounded(numerator * d, denominator);
  }
  return { n: Number(n), d: Number(d) };
}

interface MarketMakerDeps {
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly plan: MarketPlan;
  readonly log: { error(details: object, message: string): void };
}

const timeoutMs = 30_000;

/**
 * After each ledger, restores offers that lost more than half of their amount. If the market account’s balances are
 * low, issuers and the root account pay new money.
 * Several processes may do this at once, because each ledger accepts only one transaction of the market account.
 */
export function keepMarket({ node, confirmations, plan, log }: MarketMakerDeps): void {
  let busy = false;

  async function look(): Promise<void> {
    const ledger = await node.current();
    const repair = planRepair(ledger, plan);
    if (repair.operations.length === 0) return;
    const source = seededKeys().market;
    const sequence = ledger.account(source.address)?.sequence ?? 0n;
    const { status, hash } = await node.submit(signedEnvelope({ source, sequence, ...repair }));
    if (status === 'PENDING') await confirmations.wait(hash, timeoutMs);
  }

  node.onLedger(() => {
    if (busy) return;
    busy = true;
    look()
      .catch(err => log.error({ err }, 'the offers of the sandbox market could not be refilled'))
      .finally(() => {
        busy = false;
      });
  });
}

interface Repair {
  readonly operations: readonly OperationWire[];
  readonly cosigners: readonly SandboxKey[];
}

const mostOperations = 100;

/** The maximum number of further signatures. A transaction has at most 20, and one is the market account’s. */
const mostCosigners = 19;

/**
 * The first balance of each issued asset for market, faucet and payer, in stroops: 40 % of the largest possible
 * balance.
 */
export const inventory = 370_000_000_000n * stroops;

/** The operations that restore the planned offers, at most as many as one transaction can have. */
function planRepair(ledger: Ledger, plan: MarketPlan): Repair {
  const offers = ledger.offersOf(seededKeys().market.address);
  const supplies = suppliesFor(ledger).slice(0, mostCosigners);
  const quotes = plan.offers.flatMap(planned => quoteFor(planned, offers));
  return {
    operations: [...supplies.map(({ body, from }) => operation(body, from.address)), ...quotes].slice(
      0,
      mostOperations,
    ),
    cosigners: supplies.map(({ from }) => from),
  };
}

/** The operation that restores a planned offer. Empty while at least half of the planned amount is offered. */
function quoteFor(planned: PlannedOffer, offers: readonly Offer[]): readonly OperationWire[] {
  const standing = offers.filter(
    ({ selling, buying, price }) =>
      selling === planned.selling &&
      buying === planned.buying &&
      price.n === planned.price.n &&
      price.d === planned.price.d,
  );
  const left = standing.reduce((sum, { amount }) => sum + amount, 0n);
  if (left * 2n >= planned.amount) return [];
  return [operation(sellOffer({ ...planned, offerId: standing[0]?.id ?? 0n }))];
}

interface Supply {
  readonly from: SandboxKey;
  readonly body: OperationWire['body'];
}

/**
 * Payments that refill the market account’s low balances, below a third of the planned balance. Issuers pay their
 * assets. The root account pays XLM.
 */
function suppliesFor(ledger: Ledger): readonly Supply[] {
  const { market } = seededKeys();
  const lines = new Map(ledger.trustlines(market.address).map(({ asset, balance }) => [asset, balance]));
  const issued = seededAssets().flatMap(({ asset, issuer }) =>
    supply(issuer, asset, lines.get(asset) ?? 0n, inventory),
  );
  const xlm = ledger.account(market.address)?.balance ?? 0n;
  return [...issued, ...supply(rootKey(), native, xlm, xlmInventory)];
}

/** The planned XLM balance of the market account: 20 billion XLM, in stroops. */
const xlmInventory = 200_000_000_000_000_000n;

function supply(from: SandboxKey, asset: string, balance: bigint, wanted: bigint): readonly Supply[] {
  if (balance * 3n >= wanted) return [];
  return [{ from, body: payment(seededKeys().market.address, asset, wanted - balance) }];
}
