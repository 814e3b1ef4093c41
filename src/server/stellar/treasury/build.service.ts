import { addSeconds, systemClock } from '../../../core/clock.ts';
import {
  assignOutbound,
  claimOutbound,
  committedAmounts,
  type RefusedOutbound,
  refuseOutbound,
  releaseOutbound,
} from '../../outbound/outbound.store.ts';
import type { ClockedOutbound } from '../../outbound/outbound.ts';
import { StellarUnavailable } from '../network.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import { type Batch, isOverCap, operationCount, outflowsOf, planBatches, type Sendable, sendableOf } from './batch.ts';
import { type ChannelRow, claimChannels, explainedSequence, loadChannel, releaseChannel } from './channel.store.ts';
import { type FailureCode, failure, type SendFailure } from './destination.ts';
import { type CarriedTransfer, insertEnvelope, type NewEnvelope } from './envelope.store.ts';
import { firstBid } from './envelope.ts';
import type { EnvelopePlan } from './envelope-maker.ts';
import { isAhead, type SequenceWatch } from './sequence-watch.service.ts';
import { submitSweep, type TreasuryDeps, treasuryRail } from './treasury-deps.ts';
import { coverable } from './treasury-view.ts';

/** How long a claim lasts: longer than the network may take to answer. */
const leaseSeconds = 30;
/** As many as a ledger takes. */
const mostAtOnce = 1_000;
/** How long a transfer is held that the signer refuses for now. */
const refusedSeconds = 300;
/** How long a transfer is held that the treasury cannot cover. */
const shortSeconds = 10;
/** Reserve of a claimable balance with two claimants, in stroops: one base reserve each. */
const claimableReserve = 10_000_000n;

/** What building needs. */
export interface BuildDeps extends TreasuryDeps {
  /** Whether anything may leave. */
  readonly sequences: Pick<SequenceWatch, 'inStep' | 'doubt'>;
}

/**
 * Puts queued transfers into transactions: checks the destinations, gathers, builds, signs and stores. Nothing has left
 * the service when it returns. A process that dies meanwhile leaves queued transfers or stored transactions. Returns
 * how many transfers it dealt with.
 */
export async function buildTransactions(deps: BuildDeps, onShortage: (missing: number) => void): Promise<number> {
  if (!(await deps.sequences.inStep())) return 0;
  const rows = await claimOutbound(deps.db, {
    ...({ rails: [treasuryRail], states: ['queued', 'held'], to: 'queued' } as const),
    ...{ limit: mostAtOnce, leaseSeconds, now: deps.clock.now() },
  });
  if (rows.length === 0) return 0;
  try {
    const ready = await preflight(deps, rows);
    const kept = await buildBatches(deps, planBatches(ready, deps.signer.transactionCap), onShortage);
    if (kept > 0) deps.wake(submitSweep);
    return kept + rows.length - ready.length;
  } catch (error) {
    if (!(error instanceof StellarUnavailable)) throw error;
    deps.log.warn({ reason: error.message }, 'the Stellar network cannot be asked; money waits to be sent');
    return 0;
  } finally {
    await releaseOutbound(deps.db, rows);
  }
}

/** A transfer ready to be put into a transaction, and the XLM reserve (stroops) that it takes. */
type Ready = Sendable & { readonly row: ClockedOutbound; readonly reserve: bigint };

/**
 * Sorts out transfers that cannot be sent: for good where the destination is at fault, for a while where the treasury
 * is short. Returns the others. Throws `StellarUnavailable`.
 */
async function preflight(deps: TreasuryDeps, rows: readonly ClockedOutbound[]): Promise<Ready[]> {
  const all = rows.map(readyOf);
  const problems = await Promise.all(all.map(transfer => problemOf(deps, transfer)));
  const refused = all.flatMap(({ row }, index): RefusedOutbound[] => {
    const problem = problems[index] ?? null;
    return problem === null ? [] : [{ row, failure: failure(problem), heldUntil: null }];
  });
  const sound = all.filter((_, index) => problems[index] === null);
  const [spendable, committed] = await Promise.all([
    deps.view.spendable(),
    committedAmounts(deps.db, treasuryRail, ['sending']),
  ]);
  const { covered, short } = coverable(sound, spendable ?? new Map(), committed);
  if (short.length > 0) deps.log.warn({ transfers: short.length }, 'the treasury is short; money waits to be sent');
  const heldBack = short.map(transfer => held(transfer, failure('treasury_underfunded'), shortSeconds));
  await refuseOutbound(deps.db, [...refused, ...heldBack], deps.clock.now());
  return covered;
}

function readyOf(row: ClockedOutbound): Ready {
  const sendable = sendableOf(row);
  return { ...sendable, row, reserve: sendable.delivery === 'claimable_balance' ? claimableReserve : 0n };
}

function held({ row }: Ready, reason: SendFailure, seconds: number): RefusedOutbound {
  return { row, failure: reason, heldUntil: addSeconds(row.clock, seconds) };
}

async function problemOf(deps: TreasuryDeps, transfer: Ready): Promise<FailureCode | null> {
  if (isOverCap(transfer, deps.signer.transactionCap)) return 'over_cap';
  if (transfer.delivery === 'claimable_balance') return null;
  return await deps.destinations.problem({ ...transfer, hasMemo: transfer.memo !== null });
}

/** Builds as many transactions as there are free channels. Returns how many transfers are in them. */
async function buildBatches(
  deps: BuildDeps,
  batches: readonly Batch<Ready>[],
  onShortage: (missing: number) => void,
): Promise<number> {
  if (batches.length === 0) return 0;
  const { db, signer } = deps;
  const request = { limit: batches.length, leaseSeconds, now: systemClock.now() };
  const channels = await claimChannels(db, signer.treasury, request);
  if (channels.length < batches.length) onShortage(batches.length - channels.length);
  if (channels.length === 0) return 0;
  const loaded = new Set<ChannelRow>();
  try {
    const { ledger, market } = await deps.ledger.read();
    const bid = firstBid(market, deps.feeCap);
    const kept = await Promise.all(
      channels.map(async (channel, index) => {
        const batch = batches[index];
        if (batch === undefined || !(await buildOne(deps, { channel, batch, ledger, bid }))) return 0;
        loaded.add(channel);
        return batch.transfers.length;
      }),
    );
    return kept.reduce((sum, count) => sum + count, 0);
  } finally {
    const unused = channels.filter(channel => !loaded.has(channel));
    await Promise.all(unused.map(channel => releaseChannel(db, channel, systemClock.now())));
  }
}

interface Plan extends EnvelopePlan {
  readonly channel: ChannelRow;
  readonly batch: Batch<Ready>;
}

async function buildOne(deps: BuildDeps, plan: Plan): Promise<boolean> {
  const sequence = await nextSequence(deps, plan.channel);
  if (sequence === null) {
    deps.log.error({ channel: plan.channel.address }, 'a channel account is not on the network as it was left');
    return false;
  }
  // The SDK is loaded when money leaves for the first time.
  const { draftEnvelope, signDraft } = await import('./envelope-maker.ts');
  const draft = draftEnvelope(deps, plan, sequence);
  let outcome: Kept = 'lost';
  try {
    outcome = await keep(deps, plan, await signDraft(deps, plan, draft));
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    await holdBack(deps, plan, error);
  } finally {
    // A transaction that another server stored stays counted.
    if (outcome === 'lost') await deps.signer.forget(draft.innerHash);
  }
  return outcome === 'kept';
}

/** Holds transfers that the signer refuses. The day's cap ends with the day; the operator can change the others. */
async function holdBack({ db, clock, log }: TreasuryDeps, { batch }: Plan, refusal: SigningRefused): Promise<void> {
  log.error({ reason: refusal.message }, 'the signer lets money wait');
  const reason = failure(refusal.reason === 'unknown' ? 'refused' : refusal.reason === 'cap' ? 'over_cap' : 'day_cap');
  const transfers = batch.transfers.filter(
    transfer => refusal.asset === null || outflowsOf(transfer).has(refusal.asset),
  );
  const refused = transfers.map(transfer => held(transfer, reason, refusedSeconds));
  await refuseOutbound(db, refused, clock.now());
}

/** The number after the last used one. The network may answer from a server that is behind, so the higher one counts. */
async function nextSequence({ network, db, sequences }: BuildDeps, channel: ChannelRow): Promise<bigint | null> {
  if (!channel.must_read) return channel.sequence + 1n;
  const account = await network.account(channel.address);
  if (account === null) return null;
  if (isAhead(account.sequence, await explainedSequence(db, channel.address))) {
    sequences.doubt();
    return null;
  }
  return (account.sequence > channel.sequence ? account.sequence : channel.sequence) + 1n;
}

/** Rolls back a transaction whose transfers or channel another server has claimed meanwhile. */
class LeaseLost extends Error {}

/** `lost`: another server claimed the transfers or the channel. `twin`: that server stored the same transaction. */
type Kept = 'kept' | 'lost' | 'twin';

/** Stores the transaction with everything it carries, or nothing if a claim was lost meanwhile. */
async function keep({ db, log }: TreasuryDeps, plan: Plan, envelope: NewEnvelope): Promise<Kept> {
  const { batch, channel } = plan;
  const now = systemClock.now();
  const rows = batch.transfers.map(({ row }) => row);
  try {
    await db.transaction().execute(async tx => {
      await insertEnvelope(tx, envelope, carried(batch), now);
      const isHolder =
        (await assignOutbound(tx, envelope.id, rows)) && (await loadChannel(tx, channel, envelope.id, now));
      if (!isHolder) throw new LeaseLost();
    });
    return 'kept';
  } catch (error) {
    const isTwin = isStoredAlready(error);
    if (!isTwin && !(error instanceof LeaseLost)) throw error;
    log.warn({ channel: channel.address }, 'a transaction was not stored: another server has claimed its parts');
    return isTwin ? 'twin' : 'lost';
  }
}

function isStoredAlready(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'stellar_envelopes_inner_hash_key';
}

function carried(batch: Batch<Ready>): CarriedTransfer[] {
  let first = 0;
  return batch.transfers.map(({ row, delivery, ...transfer }) => {
    const operations = operationCount({ delivery, ...transfer });
    const one = { merchant_id: row.merchant_id, transfer_id: row.id, delivery, first_operation: first, operations };
    first += operations;
    return one;
  });
}
