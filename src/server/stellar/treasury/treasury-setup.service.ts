import { setTimeout as sleep } from 'node:timers/promises';
import { formatUnits, stellarDecimals } from '../../../core/money.ts';
import type { LedgerOutcome, StellarAccount } from '../network.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import type { StellarOperation } from '../transaction/operation.ts';
import { insertChannels, listChannels } from './channel.store.ts';
import { firstBid, judgeEnvelope, validityFrom } from './envelope.ts';
import type { TreasuryDeps } from './treasury-deps.ts';
import { channelBalance, channelsWanted, remedies, reservesNeeded, treasuryLacks } from './treasury-view.ts';

/** Who gives money away on a test network. */
export interface Faucet {
  /** Opens an account with XLM. */
  open(address: string): Promise<void>;
  /** Sends some of an asset to an account that can hold it. */
  fill(address: string, asset: string): Promise<void>;
}

/** What setting the treasury up needs. */
export interface TreasurySetupDeps extends TreasuryDeps {
  /** What the treasury takes and holds: wire texts. */
  readonly assets: readonly string[];
  readonly faucet: Faucet | null;
}

/** How far the treasury is: what is missing, in sentences for the operator. */
export interface TreasuryStatus {
  readonly ready: boolean;
  readonly missing: readonly string[];
}

/**
 * Brings the treasury to where it can take and send: its account, its trustlines, the entry that asks for memos, its
 * channels, on a test network also its money. Each step looks at what the network has and adds what is missing, so any
 * number of servers may do this at once and as often as they like. What only the operator can do is said.
 */
export async function setUpTreasury(deps: TreasurySetupDeps, missingChannels: number): Promise<TreasuryStatus> {
  const account = await openAccount(deps);
  if (account === null) return lacking(`the account ${deps.signer.treasury} does not exist: send it XLM`);
  const have = (await listChannels(deps.db, deps.signer.treasury)).length;
  const channels = await missingChannelNumbers(deps, have, channelsWanted(have, missingChannels));
  const lacks = treasuryLacks(account, deps.assets);
  const needed = reservesNeeded(lacks, channels.toOpen.length);
  const work = [...remedies(lacks), ...channels.toOpen.map(address => openChannel(address))];
  if (work.length > 0 && spendableXlm(account) < needed) {
    const amount = formatUnits(needed, stellarDecimals);
    return lacking(`the account ${account.address} needs ${amount} XLM to open trustlines and channel accounts`);
  }
  const hindrance = work.length > 0 ? await doWork(deps, account, work) : null;
  if (hindrance !== null) return lacking(hindrance);
  await insertChannels(deps.db, deps.signer.treasury, channels.all);
  await fillFloats(deps);
  deps.view.forget();
  return { ready: true, missing: [] };
}

function lacking(sentence: string): TreasuryStatus {
  return { ready: false, missing: [`treasury: ${sentence}`] };
}

/** What kept the operations from being done, or null. */
async function doWork(
  deps: TreasurySetupDeps,
  account: StellarAccount,
  work: readonly StellarOperation[],
): Promise<string | null> {
  try {
    const outcome = await runAsTreasury(deps, account, work);
    return outcome?.successful === true ? null : `setting up failed (${describe(outcome)}) and is tried again`;
  } catch (error) {
    if (error instanceof SigningRefused) return error.message;
    throw error;
  }
}

function describe(outcome: LedgerOutcome | null): string {
  if (outcome === null) return 'the network has not taken it';
  return [outcome.codes.transaction, ...outcome.codes.operations].join(' ');
}

async function openAccount({ network, signer, faucet }: TreasurySetupDeps): Promise<StellarAccount | null> {
  const account = await network.account(signer.treasury);
  if (account !== null || faucet === null) return account;
  await faucet.open(signer.treasury);
  return await network.account(signer.treasury);
}

function spendableXlm(account: StellarAccount): bigint {
  return account.balances.find(({ asset }) => asset === 'XLM')?.spendable ?? 0n;
}

function openChannel(destination: string): StellarOperation {
  return { type: 'createAccount', destination, startingBalance: channelBalance };
}

/** The channels to take into use, and which of them the network does not have yet: an earlier try may have opened some. */
async function missingChannelNumbers({ network, signer }: TreasurySetupDeps, have: number, want: number) {
  const numbers = Array.from({ length: Math.max(0, want - have) }, (_, index) => have + index + 1);
  const all = numbers.map(number => ({ number, address: signer.channelAddress(number) }));
  const accounts = await Promise.all(all.map(({ address }) => network.account(address)));
  return { all, toOpen: all.filter((_, index) => accounts[index] === null).map(({ address }) => address) };
}

/** How long to wait between questions about a transaction of the set-up, at first and at most, in milliseconds. */
const [firstPollMs, pollMs] = [50, 500];
/** How long to ask at all: two ledgers of the real networks. A server that is to stop waits for this. */
const patienceMs = 10_000;

/**
 * Runs operations as a transaction of the treasury’s own, and waits for a while until it is in a ledger; null when it
 * is in none yet, or never will be. It is not stored: the next run reads the account from the network and uses the same
 * sequence number. Throws `SigningRefused`.
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
    timeBounds: { min: 0, max: Math.floor(validity.maxTime.getTime() / 1000) },
    ledgerBounds: { min: 0, max: validity.maxLedger },
    operations,
  });
  const envelope = await signer.sign(unsigned, null);
  const giveUpAt = performance.now() + patienceMs;
  for (let pauseMs = firstPollMs; performance.now() < giveUpAt; pauseMs = Math.min(2 * pauseMs, pollMs)) {
    const outcome = await network.submit(envelope);
    if (outcome.state === 'applied') return outcome;
    await sleep(pauseMs);
    const verdict = judgeEnvelope(validity, [await network.status(outcome.hash)]);
    if (verdict.state === 'ended') return verdict.outcome;
    if (verdict.state === 'expired' || outcome.state === 'refused') return null;
  }
  return null;
}

/** On a test network the treasury is given what it has none of. */
async function fillFloats({ network, signer, faucet, assets }: TreasurySetupDeps): Promise<void> {
  if (faucet === null) return;
  const account = await network.account(signer.treasury);
  for (const { asset, balance } of account?.balances ?? []) {
    if (balance === 0n && assets.includes(asset)) await faucet.fill(signer.treasury, asset);
  }
}
