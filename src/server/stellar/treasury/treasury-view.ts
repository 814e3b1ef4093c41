import { createAnswerCache } from '../answer-cache.ts';
import type { IngestedLedger, StellarMarket, StellarSubmission } from '../network.ts';
import type { FeeMarket } from './envelope.ts';

/** What the treasury could send now. */
export interface TreasuryView {
  /** Stroops by asset; assets that it cannot send are left out. Null: the account does not exist. */
  spendable(): Promise<ReadonlyMap<string, bigint> | null>;
  /** Makes the next call ask the network. */
  forget(): void;
}

/** The newest ledger and its fees, at most a moment old. */
export interface LedgerView {
  read(): Promise<{ readonly ledger: IngestedLedger; readonly market: FeeMarket }>;
}

/** Less than a ledger takes on a public network. A transaction whose bound begins one ledger early is as good. */
const holdMs = 2_000;

/** Reads what the treasury holds, at most once a ledger. */
export function createTreasuryView(market: Pick<StellarMarket, 'account'>, treasury: string): TreasuryView {
  const cache = createAnswerCache({ holdMs }, async (address: string) => {
    const account = await market.account(address);
    if (account === null) return null;
    return new Map(account.balances.filter(line => line.authorized).map(line => [line.asset, line.spendable]));
  });
  return { spendable: () => cache.read(treasury), forget: cache.clear };
}

/** Reads the newest ledger and its fees, at most once a ledger. */
export function createLedgerView(network: Pick<StellarSubmission, 'latestLedger' | 'fees'>): LedgerView {
  const cache = createAnswerCache({ holdMs }, async () => {
    const [ledger, market] = await Promise.all([network.latestLedger(), network.fees()]);
    return { ledger, market };
  });
  return { read: () => cache.read('newest') };
}

/**
 * Splits sums, in their order, into those that the treasury can cover and those that must wait. `committed` is what
 * transactions under way may still take. `reserve` is XLM that a sum takes besides, in stroops.
 */
export function coverable<
  T extends { readonly sourceAsset: string; readonly sendMax: bigint; readonly reserve: bigint },
>(
  sums: readonly T[],
  spendable: ReadonlyMap<string, bigint>,
  committed: ReadonlyMap<string, bigint>,
): { readonly covered: T[]; readonly short: T[] } {
  const left = new Map([...spendable].map(([asset, amount]) => [asset, amount - (committed.get(asset) ?? 0n)]));
  const covered: T[] = [];
  const short: T[] = [];
  for (const sum of sums) {
    const needs = new Map([[sum.sourceAsset, sum.sendMax]]);
    if (sum.reserve > 0n) needs.set('XLM', (needs.get('XLM') ?? 0n) + sum.reserve);
    const fits = [...needs].every(([asset, amount]) => (left.get(asset) ?? 0n) >= amount);
    (fits ? covered : short).push(sum);
    if (fits) for (const [asset, amount] of needs) left.set(asset, (left.get(asset) ?? 0n) - amount);
  }
  return { covered, short };
}
