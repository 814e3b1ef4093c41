import { systemClock } from '../../../core/clock.ts';
import { isStellarAddress } from '../../../core/stellar/strkey.ts';
import { held } from '../../outbound/build.service.ts';
import type { Build, BuiltCarrier, Check } from '../../outbound/carrier.ts';
import type { RefusedOutbound } from '../../outbound/outbound.store.ts';
import type { ClockedOutbound } from '../../outbound/outbound.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import { type Batch, exceedsCap, needsOf, outflowsOf, planBatches, type Sendable, sendableOf } from './batch.ts';
import {
  type ChannelRow,
  claimChannels,
  countFreeChannels,
  explainedSequences,
  loadChannel,
  releaseChannel,
} from './channel.store.ts';
import { failure } from './destination.ts';
import { firstBid } from './envelope.ts';
import type { EnvelopePlan, SoundDraft } from './envelope-maker.ts';
import { isAhead, type SequenceWatch } from './sequence-watch.service.ts';
import type { TreasuryDeps } from './treasury-deps.ts';

/** Seconds of the lease of a claimed channel: longer than a request to the network. */
const leaseSeconds = 30;
/** Seconds for which a transfer is held after the signer refused it. */
const refusedSeconds = 300;

export interface BuildDeps extends TreasuryDeps {
  readonly sequences: SequenceWatch;
  /** Gets the number of missing channels. */
  readonly onShortage: (missing: number) => void;
}

/** The free channels, each of which can take a transaction. None while the database does not know all transactions. */
export async function freeChannelCount({ db, signer, sequences }: BuildDeps): Promise<number> {
  if (!(await sequences.inStep())) return 0;
  return await countFreeChannels(db, signer.treasury, systemClock.now());
}

/** Whether the destination of a transfer was checked when it was planned, just before it was queued. */
function isPlanned({ destination, tries }: ClockedOutbound): boolean {
  const delivery = destination?.['delivery'];
  return delivery === 'claimable_balance' || (delivery !== undefined && tries === 1);
}

/** Checks a transfer. Its plan has checked the destination, unless the transfer had no plan or has waited since. */
export async function checkTransfer(deps: TreasuryDeps, row: ClockedOutbound): Promise<Check> {
  const transfer = readable(deps, row);
  if (transfer === null) return { state: 'failed', ...failure('invalid_destination') };
  if (exceedsCap(transfer, deps.signer.transactionCap)) return { state: 'failed', ...failure('over_cap') };
  const problem = isPlanned(row)
    ? null
    : await deps.destinations.problem({ ...transfer, hasMemo: transfer.memo !== null });
  return problem === null ? { state: 'ready', needs: needsOf(transfer) } : { state: 'failed', ...failure(problem) };
}

/** The transfer in the form that the treasury sends. Null if its address or memo is invalid. */
function readable({ log }: TreasuryDeps, row: ClockedOutbound): Sendable | null {
  try {
    const sendable = sendableOf(row);
    if (isStellarAddress(sendable.destination)) return sendable;
    throw new TypeError('this is not an address on Stellar');
  } catch (error) {
    log.error({ err: error, transfer: row.id }, 'a transfer has an invalid address or memo; it fails');
    return null;
  }
}

/** A transfer with the row that orders it. */
type Loaded = Sendable & { readonly row: ClockedOutbound };

const nothing: Build = { carriers: [], refused: [], errors: [] };

function together(builds: readonly Build[]): Build {
  return {
    carriers: builds.flatMap(({ carriers }) => carriers),
    refused: builds.flatMap(({ refused }) => refused),
    errors: builds.flatMap(({ errors }) => errors),
  };
}

/** Builds a transaction for each free channel. The error of one transaction does not stop the others. */
export async function buildEnvelopes(deps: BuildDeps, orders: readonly ClockedOutbound[]): Promise<Build> {
  const { db, signer } = deps;
  const transfers = orders.map((row): Loaded => ({ ...sendableOf(row), row }));
  const batches = planBatches(transfers, signer.transactionCap);
  const request = { limit: batches.length, leaseSeconds, now: systemClock.now() };
  const channels = await claimChannels(db, signer.treasury, request);
  if (channels.length < batches.length) deps.onShortage(batches.length - channels.length);
  const builds = channels.map(async (channel, index) => {
    const batch = batches[index];
    const built = batch === undefined ? nothing : await buildOn(deps, channel, batch);
    if (built.carriers.length === 0) await releaseChannel(db, channel, systemClock.now());
    return built;
  });
  return together(await Promise.all(builds));
}

async function buildOn(deps: BuildDeps, channel: ChannelRow, batch: Batch<Loaded>): Promise<Build> {
  try {
    const { ledger, market } = await deps.ledger.read();
    return await buildOne(deps, { channel, batch, ledger, bid: firstBid(market, deps.feeCap) });
  } catch (error) {
    return { ...nothing, errors: [error] };
  }
}

interface Plan extends EnvelopePlan<Loaded> {
  readonly channel: ChannelRow;
}

/** Builds one transaction from the transfers that can be sent. The others fail alone, or wait. */
async function buildOne(deps: BuildDeps, plan: Plan): Promise<Build> {
  const { channel } = plan;
  const sequence = await nextSequence(deps, channel);
  if (sequence === null) {
    deps.log.error(
      { channel: channel.address },
      'a channel account is missing, or its sequence number is not as expected',
    );
    return nothing;
  }
  // The SDK is loaded with the first transaction.
  const { draftSound } = await import('./envelope-maker.ts');
  const sound = draftSound(deps, plan, sequence);
  const refused = refusedOf(deps, sound.faulty);
  if (sound.draft === null) return { ...nothing, refused };
  const batch = { ...plan.batch, transfers: sound.transfers };
  return together([{ ...nothing, refused }, await sign(deps, { ...plan, batch }, { ...sound.draft, sequence })]);
}

/** Transfers that no transaction can carry. They fail. */
function refusedOf({ log }: TreasuryDeps, faulty: SoundDraft<Loaded>['faulty']): RefusedOutbound[] {
  const message = 'The payment is not valid on Stellar: its asset, amount or path is wrong.';
  return faulty.map(({ transfer: { row }, error }) => {
    log.error({ err: error, transfer: row.id }, 'no transaction can carry a transfer; it fails');
    return { row, failure: { code: 'refused', message }, heldUntil: null };
  });
}

type NumberedDraft = NonNullable<SoundDraft<Loaded>['draft']> & { readonly sequence: bigint };

/** Signs the draft. If the signer refuses it, holds the largest transfers and builds the others again. */
async function sign(deps: BuildDeps, plan: Plan, { sequence, ...draft }: NumberedDraft): Promise<Build> {
  const { db, signer } = deps;
  const { channel, batch } = plan;
  const { signDraft } = await import('./envelope-maker.ts');
  try {
    const carrier = await signDraft(deps, plan, draft);
    const built: BuiltCarrier = {
      carrier,
      orders: batch.transfers.map(({ row }) => row),
      hold: tx => loadChannel(tx, channel, { id: carrier.id, sequence }, systemClock.now()),
      discard: async isTwin => {
        await releaseChannel(db, channel, systemClock.now());
        // A twin still counts against the daily limit.
        if (!isTwin) await signer.forget(draft.detail.inner_hash);
      },
    };
    return { ...nothing, carriers: [built] };
  } catch (error) {
    await signer.forget(draft.detail.inner_hash);
    if (!(error instanceof SigningRefused)) throw error;
    const { transfers, refused } = holdBack(deps, batch, error);
    const rest = transfers.length === 0 ? nothing : await buildOne(deps, { ...plan, batch: { ...batch, transfers } });
    return together([{ ...nothing, refused }, rest]);
  }
}

/**
 * Holds the larger half of the transfers that the signer may have refused, because a smaller sum may stay within the
 * limit. They are tried again: the daily limit expires, and the operator can change the other limits. Returns the other
 * transfers, and the held ones.
 */
function holdBack({ log }: TreasuryDeps, batch: Batch<Loaded>, refusal: SigningRefused) {
  const code = ({ unknown: 'refused', cap: 'over_cap', day_cap: 'day_cap' } as const)[refusal.reason];
  const takenBy = (transfer: Loaded) =>
    refusal.asset === null ? transfer.sendMax : (outflowsOf(transfer).get(refusal.asset) ?? 0n);
  const suspects = batch.transfers
    .filter(transfer => takenBy(transfer) > 0n)
    .toSorted((a, b) => (takenBy(a) < takenBy(b) ? 1 : -1));
  const largest = new Set(suspects.slice(0, (suspects.length + 1) >> 1));
  log.error(
    { reason: refusal.message, transfers: [...largest].map(({ id }) => id) },
    'the signer refused a transaction; its largest transfers wait',
  );
  return {
    transfers: batch.transfers.filter(transfer => !largest.has(transfer)),
    refused: [...largest].map(({ row }) => held(row, failure(code), refusedSeconds)),
  };
}

/**
 * The next sequence number of a channel. Null if its account is missing, or has used numbers unknown to the database.
 */
async function nextSequence({ network, db, sequences }: BuildDeps, channel: ChannelRow): Promise<bigint | null> {
  if (!channel.must_read) return channel.sequence + 1n;
  const account = await network.account(channel.address);
  if (account === null) return null;
  const explained = (await explainedSequences(db, channel.treasury)).find(each => each.address === channel.address);
  if (isAhead(account.sequence, explained?.sequence ?? 0n)) {
    sequences.doubt();
    return null;
  }
  // The network's answer may be outdated, so the higher of both numbers counts.
  return (account.sequence > channel.sequence ? account.sequence : channel.sequence) + 1n;
}
