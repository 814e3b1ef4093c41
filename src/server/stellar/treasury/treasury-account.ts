import { mostStroops } from '../../../core/money.ts';
import type { StellarAccount } from '../network.ts';
import { memoRequiredEntry, type StellarOperation } from '../transaction/operation.ts';

/** What the treasury’s account lacks of what it needs. */
export interface TreasuryLacks {
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
