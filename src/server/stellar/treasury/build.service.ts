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
import {
  type Batch,
  coverable,
  exceedsCap,
  operationCount,
  outflowsOf,
  planBatches,
  type Sendable,
  sendableOf,
} from './batch.ts';
import {
  type ChannelRow,
  claimChannels,
  countFreeChannels,
  explainedSequences,
  loadChannel,
  releaseChannel,
} from './channel.store.ts';
import { type FailureCode, failure } from './destination.ts';
import { type CarriedTransfer, insertEnvelope, type NewEnvelope } from './envelope.store.ts';
import { firstBid } from './envelope.ts';
import type { EnvelopePlan } from './envelope-maker.ts';
import { isAhead, type SequenceWatch } from './sequence-watch.service.ts';
import { submitSweep, type TreasuryDeps, treasuryRail } from './treasury-deps.ts';

/** Seconds of the lease of claimed transfers and channels: longer than a request to the network. */
const leaseSeconds = 30;
/** Maximum number of transfers claimed at once: about as many as one ledger includes. */
const mostAtOnce = 1_000;
/** Seconds for which a transfer is held after the signer refused it. */
const refusedSeconds = 300;
/** Seconds for which a transfer is held that the treasury cannot pay. */
const shortSeconds = 10;
/** The reserve of a claimable balance in stroops: a base reserve for each of its two claimants. */
const claimableReserve = 10_000_000n;

export interface BuildDeps extends TreasuryDeps {
  readonly sequences: SequenceWatch;
}

/**
 * Builds, signs and stores transactions for queued transfers, without submitting them. After a crash, a transfer is
 * either still queued, or its transaction is stored. `onShortage` gets the number of missing channels. Returns how many
 * transfers were stored, or were refused or held by `preflight`.
 */
export async function buildTransactions(deps: BuildDeps, onShortage: (missing: number) => void): Promise<number> {
  if (!(await deps.sequences.inStep())) return 0;
  // Without a free channel, no transfer can be sent. Each run would then claim up to 1,000 rows for nothing, until a
  // ledger closes.
  const free = await countFreeChannels(deps.db, deps.signer.treasury, systemClock.now());
  if (free === 0) return 0;
  const rows = await claimOutbound(deps.db, {
    ...({ rails: [treasuryRail], states: ['queued', 'held'], to: 'queued' } as const),
    ...{ limit: mostAtOnce, leaseSeconds, now: deps.clock.now() },
  });
  if (rows.length === 0) return 0;
  try {
    const ready = await preflight(deps, rows);
    const kept = await buildBatches(deps, planBatches(ready, deps.signer.transactionCap), onShortage);
    if (kept.length > 0) deps.wake(submitSweep);
    await deps.tellProgress(kept.map(({ row }) => ({ row, step: 'sending', reference: null })));
    return kept.length + rows.length - ready.length;
  } catch (error) {
    if (!(error instanceof StellarUnavailable)) throw error;
    deps.log.warn({ reason: error.message }, 'the Stellar network cannot be reached; transfers wait');
    return 0;
  } finally {
    await releaseOutbound(deps.db, rows);
  }
}

/** A transfer that can be sent. `reserve`: XLM (stroops) that the transfer takes besides its amount. */
type Ready = Sendable & { readonly row: ClockedOutbound; readonly reserve: bigint };

/**
 * Refuses transfers to bad destinations, and holds transfers that the treasury cannot pay. Returns the rest. Throws
 * `StellarUnavailable`.
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
  if (short.length > 0) deps.log.warn({ transfers: short.length }, 'the treasury does not hold enough; transfers wait');
  const heldBack = short.map(transfer => held(transfer, 'treasury_underfunded', shortSeconds));
  await refuseOutbound(deps.db, [...refused, ...heldBack], deps.clock.now());
  return covered;
}

function readyOf(row: ClockedOutbound): Ready {
  const sendable = sendableOf(row);
  return { ...sendable, row, reserve: sendable.delivery === 'claimable_balance' ? claimableReserve : 0n };
}

function held({ row }: Ready, code: FailureCode, seconds: number): RefusedOutbound {
  return { row, failure: failure(code), heldUntil: addSeconds(row.clock, seconds) };
}

async function problemOf(deps: TreasuryDeps, transfer: Ready): Promise<FailureCode | null> {
  if (exceedsCap(transfer, deps.signer.transactionCap)) return 'over_cap';
  if (transfer.delivery === 'claimable_balance') return null;
  return await deps.destinations.problem({ ...transfer, hasMemo: transfer.memo !== null });
}

/** Builds a transaction for each free channel. Returns the transfers whose transactions were stored. */
async function buildBatches(
  deps: BuildDeps,
  batches: readonly Batch<Ready>[],
  onShortage: (missing: number) => void,
): Promise<readonly Ready[]> {
  if (batches.length === 0) return [];
  const { db, signer } = deps;
  const request = { limit: batches.length, leaseSeconds, now: systemClock.now() };
  const channels = await claimChannels(db, signer.treasury, request);
  if (channels.length < batches.length) onShortage(batches.length - channels.length);
  if (channels.length === 0) return [];
  const loaded = new Set<ChannelRow>();
  try {
    const { ledger, market } = await deps.ledger.read();
    const bid = firstBid(market, deps.feeCap);
    const kept = await Promise.all(
      channels.map(async (channel, index) => {
        const batch = batches[index];
        if (batch === undefined || !(await buildOne(deps, { channel, batch, ledger, bid }))) return [];
        loaded.add(channel);
        return batch.transfers;
      }),
    );
    return kept.flat();
  } finally {
    const unused = channels.filter(channel => !loaded.has(channel));
    await Promise.all(unused.map(channel => releaseChannel(db, channel, systemClock.now())));
  }
}

interface Plan extends EnvelopePlan {
  readonly channel: ChannelRow;
  readonly batch: Batch<Ready>;
}

/** Builds one transaction. Returns whether it was stored. */
async function buildOne(deps: BuildDeps, plan: Plan): Promise<boolean> {
  const sequence = await nextSequence(deps, plan.channel);
  if (sequence === null) {
    deps.log.error(
      { channel: plan.channel.address },
      'a channel account is missing, or its sequence number is not as expected',
    );
    return false;
  }
  // The SDK is loaded with the first transaction.
  const { draftEnvelope, signDraft } = await import('./envelope-maker.ts');
  const draft = draftEnvelope(deps, plan, sequence);
  let outcome: Kept = 'lost';
  try {
    outcome = await keep(deps, plan, await signDraft(deps, plan, draft));
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    await holdBack(deps, plan, error);
  } finally {
    // A twin is the same transaction, stored by another server. It still counts against the daily limit.
    if (outcome === 'lost') await deps.signer.forget(draft.inner_hash);
  }
  return outcome === 'kept';
}

/**
 * Holds transfers that the signer refuses. They are tried again, because the daily limit expires, and the operator can
 * change the other limits.
 */
async function holdBack({ db, clock, log }: TreasuryDeps, { batch }: Plan, refusal: SigningRefused): Promise<void> {
  log.error({ reason: refusal.message }, 'the signer refused a transaction; its transfers wait');
  const code = ({ unknown: 'refused', cap: 'over_cap', day_cap: 'day_cap' } as const)[refusal.reason];
  const { asset } = refusal;
  const transfers = batch.transfers.filter(transfer => asset === null || outflowsOf(transfer).has(asset));
  const refused = transfers.map(transfer => held(transfer, code, refusedSeconds));
  await refuseOutbound(db, refused, clock.now());
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

/** Thrown to roll the transaction back when another server has claimed the transfers or the channel. */
class LeaseLost extends Error {}

/** `lost`: another server claimed the transfers or the channel. `twin`: that server stored the same transaction. */
type Kept = 'kept' | 'lost' | 'twin';

/** Stores the transaction with its transfers. Stores nothing if a claim was lost. */
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
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    const isTwin = code === '23505' && constraint === 'stellar_envelopes_inner_hash_key';
    if (!isTwin && !(error instanceof LeaseLost)) throw error;
    log.warn(
      { channel: channel.address },
      'a transaction was not stored, because another server has claimed its transfers',
    );
    return isTwin ? 'twin' : 'lost';
  }
}

function carried(batch: Batch<Ready>): CarriedTransfer[] {
  let first = 0;
  return batch.transfers.map(({ row, ...transfer }) => {
    const operations = operationCount(transfer);
    first += operations;
    return {
      ...{ merchant_id: row.merchant_id, transfer_id: row.id, delivery: transfer.delivery },
      ...{ first_operation: first - operations, operations },
    };
  });
}
