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

/** One offer that the market maker keeps up: so much of an asset for another. */
interface PlannedOffer {
  readonly selling: string;
  readonly buying: string;
  /** Stroops. */
  readonly amount: bigint;
  readonly price: { readonly n: number; readonly d: number };
}

/** A pool that the market maker fills once, at the market’s price. Assets are in the protocol’s order. */
interface PlannedPool {
  readonly assetA: string;
  readonly assetB: string;
  readonly amountA: bigint;
  readonly amountB: bigint;
}

/** What the market maker offers and fills. */
export interface MarketPlan {
  readonly offers: readonly PlannedOffer[];
  readonly pools: readonly PlannedPool[];
}

/** Pairs with offers both ways, by the names that the rates have for them … */
const offeredPairs = [
  ['XLM', 'USDC'],
  ['USDC', 'EURC'],
  ['USDC', 'NGNC'],
  ['XLM', 'BRLC'],
  ['NGNC', 'KES'],
] as const;

/** … and those with a pool. XLM and EURC meet in a pool alone. */
const pooledPairs = [
  ['XLM', 'USDC'],
  ['XLM', 'EURC'],
] as const;

/** Dollars at each level of a book, and how far from the middle it is, in hundredths of a percent. */
const levels = [
  { dollars: 100_000n, basisPoints: 10n },
  { dollars: 500_000n, basisPoints: 20n },
  { dollars: 2_000_000n, basisPoints: 50n },
  { dollars: 10_000_000n, basisPoints: 150n },
] as const;

/** Dollars on each side of a pool. */
const poolDollars = 2_000_000n;

const scale = 10n ** 18n;
const stroops = 10n ** 7n;

/** Plans the market around the rates of the sandbox: every offer within a small spread of them. */
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

/** Dollars for one unit, as a number of 10^-18. */
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

/** The price as a ratio of numbers that fit 31 bits, exact to nine digits or so. */
function ratio(numerator: bigint, denominator: bigint): { readonly n: number; readonly d: number } {
  let d = 1_000_000_000n;
  let n = divideRounded(numerator * d, denominator);
  while (n > largest && d > 1n) {
    d /= 10n;
    n = divideRounded(numerator * d, denominator);
  }
  return { n: Number(n), d: Number(d) };
}

/** What keeping the market up stands on. */
interface MarketMakerDeps {
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly plan: MarketPlan;
  readonly log: { error(details: object, message: string): void };
}

const patienceMs = 30_000;
/**
 * Looks after each ledger whether what was planned is still offered, and fills up what is less than half of it, from
 * the issuers where the market itself runs low. Any number of processes may do so at once: a ledger takes one
 * transaction of the market.
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
    if (status === 'PENDING') await confirmations.wait(hash, patienceMs);
  }

  node.onLedger(() => {
    if (busy) return;
    busy = true;
    look()
      .catch(err => log.error({ err }, 'the market of the sandbox network could not be filled up'))
      .finally(() => {
        busy = false;
      });
  });
}

interface Repair {
  readonly operations: readonly OperationWire[];
  readonly cosigners: readonly SandboxKey[];
}

/** Operations that a transaction may have. */
const mostOperations = 100;
/** Keys that may sign besides the market’s: a transaction has at most 20 signatures. */
const mostCosigners = 19;

/** What the market maker, the faucet and the payer get of every asset: two fifths of what a trust line can hold. */
export const inventory = 370_000_000_000n * stroops;

/** What brings the market back to its plan, as far as it fits in one transaction. */
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

/** An offer that has lost more than half of what was planned is set back to it; one that is gone is made anew. */
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

/** What the market has less than a third of comes from its issuer; XLM comes from the root account. */
function suppliesFor(ledger: Ledger): readonly Supply[] {
  const { market } = seededKeys();
  const lines = new Map(ledger.trustlines(market.address).map(({ asset, balance }) => [asset, balance]));
  const issued = seededAssets().flatMap(({ asset, issuer }) =>
    supply(issuer, asset, lines.get(asset) ?? 0n, inventory),
  );
  const xlm = ledger.account(market.address)?.balance ?? 0n;
  return [...issued, ...supply(rootKey(), native, xlm, xlmInventory)];
}

/** 20 billion XLM, in stroops. */
const xlmInventory = 200_000_000_000_000_000n;

function supply(from: SandboxKey, asset: string, balance: bigint, wanted: bigint): readonly Supply[] {
  if (balance * 3n >= wanted) return [];
  return [{ from, body: payment(seededKeys().market.address, asset, wanted - balance) }];
}
