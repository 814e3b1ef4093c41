import { setTimeout as sleep } from 'node:timers/promises';
import { formatUnits } from '../../../core/money.ts';
import { mostStroops, stellarDecimals } from '../../../core/stellar/stellar-amount.ts';
import type { LedgerOutcome, StellarAccount } from '../network.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import { memoRequiredEntry, type StellarOperation } from '../transaction/operation.ts';
import { insertChannels, listChannels } from './channel.store.ts';
import { boundsOf, firstBid, judgeEnvelope, validityFrom } from './envelope.ts';
import type { TreasuryDeps } from './treasury-deps.ts';

/** Supplies free test money on a test network. */
export interface Faucet {
  open(address: string): Promise<void>;
  /** Sends an amount of an asset to an account that can hold the asset. */
  fill(address: string, asset: string): Promise<void>;
}

/** The dependencies of the setup. `assets`: the assets that the treasury holds, as `XLM` or `CODE:ISSUER`. */
export interface TreasurySetupDeps extends TreasuryDeps {
  readonly assets: readonly string[];
  readonly faucet: Faucet | null;
}

/**
 * The state of the setup. `missing`: sentences for the operator. `channels`: the number of open channels, or 0 if the
 * setup is not complete.
 */
export interface TreasuryStatus {
  readonly channels: number;
  readonly ready: boolean;
  readonly missing: readonly string[];
}

/**
 * Initial and largest number of channels. A channel carries one transaction of 100 operations at a time, and ten such
 * transactions fill a ledger. With only ten channels, every second ledger stayed empty. Ten more channels fill those
 * ledgers.
 */
export const firstChannels = 4;
export const mostChannels = 20;
/** The starting balance of a channel, in stroops: an account's reserve (two base reserves) and half a base reserve. */
const channelBalance = 12_500_000n;

/**
 * Sets up the treasury: account, trustlines, memo entry and channels. On a test network, also funds the treasury. Each
 * step adds only what the network lacks, so several servers may run the setup at once and repeatedly. Reports the steps
 * that only the operator can take.
 */
export async function setUpTreasury(deps: TreasurySetupDeps, missingChannels: number): Promise<TreasuryStatus> {
  const account = await openAccount(deps);
  if (account === null) return lacking(`the account ${deps.signer.treasury} does not exist. Send XLM to it`);
  const have = (await listChannels(deps.db, deps.signer.treasury)).length;
  const channels = await findChannels(deps, have, channelsWanted(have, missingChannels));
  const work = [...missingEntryOperations(treasuryLacks(account, deps.assets)), ...channels.toOpen.map(openChannel)];
  const needed = reserveOf(work);
  const spendable = account.balances.find(({ asset }) => asset === 'XLM')?.spendable ?? 0n;
  if (work.length > 0 && spendable < needed) {
    const amount = formatUnits(needed, stellarDecimals);
    return lacking(`the account ${account.address} needs ${amount} XLM to open trustlines and channel accounts`);
  }
  const failure = work.length > 0 ? await runSetupOperations(deps, account, work) : null;
  if (failure !== null) return lacking(failure);
  await insertChannels(deps.db, deps.signer.treasury, channels.all);
  await fillBalances(deps);
  deps.view.forget();
  return { ready: true, missing: [], channels: have + channels.all.length };
}

function lacking(sentence: string): TreasuryStatus {
  return { ready: false, missing: [`treasury: ${sentence}`], channels: 0 };
}

/** Number of wanted channels. `have`: existing channels; `missing`: channels that transactions waited for. */
export function channelsWanted(have: number, missing: number): number {
  return Math.min(mostChannels, Math.max(firstChannels, have + missing));
}

/** The missing entries of the account: trustlines of its assets, and the entry that requires memos (SEP-29). */
export function treasuryLacks(account: StellarAccount, assets: readonly string[]) {
  const held = new Set(account.balances.map(({ asset }) => asset));
  const isOwn = (asset: string) => asset === 'XLM' || asset.endsWith(`:${account.address}`);
  return {
    trustlines: assets.filter(asset => !isOwn(asset) && !held.has(asset)),
    memoEntry: !account.memoRequired,
  };
}

function missingEntryOperations({ trustlines, memoEntry }: ReturnType<typeof treasuryLacks>): StellarOperation[] {
  return [
    ...trustlines.map(asset => ({ type: 'changeTrust', asset, limit: mostStroops }) as const),
    ...(memoEntry ? [{ type: 'manageData', ...memoRequiredEntry } as const] : []),
  ];
}

/** XLM (stroops) for the operations: half an XLM for each entry, the balances of channels, and one XLM for fees. */
function reserveOf(work: readonly StellarOperation[]): bigint {
  const reserves = work.map(({ type }) => (type === 'createAccount' ? channelBalance : 5_000_000n));
  return reserves.reduce((sum, reserve) => sum + reserve, 10_000_000n);
}

/** Returns why the operations failed, or null. */
async function runSetupOperations(
  deps: TreasurySetupDeps,
  account: StellarAccount,
  work: readonly StellarOperation[],
): Promise<string | null> {
  try {
    const outcome = await runAsTreasury(deps, account, work);
    if (outcome?.successful === true) return null;
    const { transaction, operations } = outcome?.codes ?? {
      transaction: 'the transaction is in no ledger',
      operations: [],
    };
    return `setup failed (${[transaction, ...operations].join(' ')}); it is retried automatically`;
  } catch (error) {
    if (error instanceof SigningRefused) return error.message;
    throw error;
  }
}

async function openAccount({ network, signer, faucet }: TreasurySetupDeps): Promise<StellarAccount | null> {
  const account = await network.account(signer.treasury);
  if (account !== null || faucet === null) return account;
  await faucet.open(signer.treasury);
  return await network.account(signer.treasury);
}

function openChannel(destination: string): StellarOperation {
  return { type: 'createAccount', destination, startingBalance: channelBalance };
}

/** The channels to add. `toOpen`: channels without an account. An earlier run may have opened the others. */
async function findChannels({ network, signer }: TreasurySetupDeps, have: number, want: number) {
  const numbers = Array.from({ length: Math.max(0, want - have) }, (_, index) => have + index + 1);
  const all = numbers.map(number => ({ number, address: signer.channelAddress(number) }));
  const accounts = await Promise.all(all.map(({ address }) => network.account(address)));
  return { all, toOpen: all.filter((_, index) => accounts[index] === null).map(({ address }) => address) };
}

/** First and longest pause between two requests for the submitted transaction's status, in milliseconds. */
const [firstPollMs, longestPollMs] = [50, 500];
/** Milliseconds to wait for a submitted transaction: two ledgers of public networks. It can delay a server's stop. */
const timeoutMs = 10_000;

/**
 * Runs operations in a transaction of the treasury's own account, and waits for its ledger. Returns null if the
 * transaction was refused, has expired, or is in no ledger after 10 seconds. Does not store the transaction: the next
 * run reads the account and uses the same sequence number. Throws `SigningRefused`.
 */
export async function runAsTreasury(
  deps: TreasurySetupDeps,
  account: StellarAccount,
  operations: readonly StellarOperation[],
): Promise<LedgerOutcome | null> {
  const { network, signer, feeCap } = deps;
  const [ledger, market] = await Promise.all([network.latestLedger(), network.fees()]);
  const validity = validityFrom(ledger);
  const { buildEnvelope } = await import('../transaction/transaction.ts');
  const unsigned = buildEnvelope({
    source: signer.treasury,
    sequence: account.sequence + 1n,
    fee: firstBid(market, feeCap) * BigInt(operations.length),
    operations,
    ...boundsOf(validity),
  });
  const envelope = await signer.sign(unsigned, null);
  const giveUpAt = performance.now() + timeoutMs;
  for (let pauseMs = firstPollMs; performance.now() < giveUpAt; pauseMs = Math.min(2 * pauseMs, longestPollMs)) {
    const outcome = await network.submit(envelope);
    if (outcome.state === 'applied') return outcome;
    await sleep(pauseMs);
    const verdict = judgeEnvelope(validity, [await network.status(outcome.hash)]);
    if (verdict.state === 'ended') return verdict.outcome;
    if (verdict.state === 'expired' || outcome.state === 'refused') return null;
  }
  return null;
}

/** Funds the treasury of a test network with its missing assets. */
async function fillBalances({ network, signer, faucet, assets }: TreasurySetupDeps): Promise<void> {
  if (faucet === null) return;
  const account = await network.account(signer.treasury);
  for (const { asset, balance } of account?.balances ?? []) {
    if (balance === 0n && assets.includes(asset)) await faucet.fill(signer.treasury, asset);
  }
}
