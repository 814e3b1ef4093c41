import { mostStroops } from '../../../core/money.ts';
import { createAnswerCache } from '../answer-cache.ts';
import type { IngestedLedger, StellarAccount, StellarMarket, StellarSubmission } from '../network.ts';
import { memoRequiredEntry, type StellarOperation } from '../transaction/operation.ts';
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

/** What the treasury’s account lacks of what it needs. */
interface TreasuryLacks {
  readonly trustlines: readonly string[];
  readonly memoEntry: boolean;
}

/** Compares the account with what it needs: a trustline for each asset it takes, and SEP-29’s entry that asks for memos. */
export function treasuryLacks(account: StellarAccount, assets: readonly string[]): TreasuryLacks {
  const held = new Set(account.balances.map(({ asset }) => asset));
  const isOwn = (asset: string) => asset === 'XLM' || asset.endsWith(`:${account.address}`);
  return {
    trustlines: assets.filter(asset => !isOwn(asset) && !held.has(asset)),
    memoEntry: !account.memoRequired,
  };
}

/** The operations that give the account what it lacks. */
export function remedies({ trustlines, memoEntry }: TreasuryLacks): StellarOperation[] {
  return [
    ...trustlines.map(asset => ({ type: 'changeTrust', asset, limit: mostStroops }) as const),
    ...(memoEntry ? [{ type: 'manageData', ...memoRequiredEntry } as const] : []),
  ];
}

/** What a new channel holds, in stroops: the reserve of an account (two base reserves), and half of one to spare. It pays nothing. */
export const channelBalance = 12_500_000n;

/** XLM (stroops) that the treasury needs for the remedies and the channels: reserves, and fees to spare. */
export function reservesNeeded(lacks: TreasuryLacks, channels: number): bigint {
  const entries = BigInt(lacks.trustlines.length + (lacks.memoEntry ? 1 : 0));
  return entries * 5_000_000n + BigInt(channels) * channelBalance + 10_000_000n;
}

/** How many channels there are at first, and at most: ten of a hundred operations fill a ledger. */
export const firstChannels = 4;
export const mostChannels = 10;

/** How many channels to have when work waited for want of them. */
export function channelsWanted(have: number, missing: number): number {
  return Math.min(mostChannels, Math.max(firstChannels, have + missing));
}

/** The least that should be there of an asset (stroops) before an alarm is raised. */
export type Floors = (asset: string) => bigint;

/** Whether a balance has just fallen below its floor, or is above it again; null: neither. It is above again only well above, so that an alarm does not flutter. */
export function crossing(wasLow: boolean, spendable: bigint, floor: bigint): 'low' | 'filled' | null {
  if (!wasLow && spendable < floor) return 'low';
  if (wasLow && spendable >= floor + floor / 10n) return 'filled';
  return null;
}
