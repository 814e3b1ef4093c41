import { addSeconds, systemClock } from '../../../core/clock.ts';
import { isStellarAddress } from '../../../core/stellar/strkey.ts';
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
  claimableReserve,
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
import type { Draft, EnvelopePlan, SoundDraft } from './envelope-maker.ts';
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

/** The transfers that are put into transactions. */
export const builds = { rails: [treasuryRail], states: ['queued', 'held'], to: 'queued' } as const;

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
    ...builds,
    limit: mostAtOnce,
    leaseSeconds,
    now: deps.clock.now(),
  });
  if (rows.length === 0) return 0;
  try {
    const { ready, decided } = await preflight(deps, rows);
    const built = await buildBatches(deps, planBatches(ready, deps.signer.transactionCap), onShortage);
    const kept = built.flatMap(each => each.kept);
    if (kept.length > 0) deps.wake(submitSweep);
    await deps.tellProgress(kept.map(({ row }) => ({ row, step: 'sending', reference: null })));
    for (const { error } of built) if (error !== null) throw error;
    return decided + kept.length + built.reduce((sum, { refused }) => sum + refused, 0);
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
 * Refuses transfers to bad destinations, and holds transfers that the treasury cannot pay. Returns the rest, and the
 * number of refused and held transfers. Transfers whose account the network could not read stay queued. Throws
 * `StellarUnavailable` if it could read none.
 */
async function preflight(deps: TreasuryDeps, rows: readonly ClockedOutbound[]) {
  const checks = await Promise.all(rows.map(row => check(deps, row)));
  const refused = checks.flatMap(each => ('refusal' in each ? [each.refusal] : []));
  await refuseOutbound(deps.db, refused, deps.clock.now());
  const unread = checks.flatMap(each => ('unread' in each ? [each.unread] : []));
  if (unread.length === rows.length) throw unread[0];
  const [spendable, committed] = await Promise.all([
    deps.view.spendable(),
    committedAmounts(deps.db, treasuryRail, ['sending']),
  ]);
  const sound = checks.flatMap(each => ('ready' in each ? [each.ready] : []));
  const { covered, short } = coverable(sound, spendable ?? new Map(), committed);
  if (short.length > 0) await holdShort(deps, short);
  return { ready: covered, decided: refused.length + short.length };
}

/** Holds transfers that the treasury cannot pay, and tells their modules, which may pay from another asset. */
async function holdShort(deps: TreasuryDeps, short: readonly Ready[]): Promise<void> {
  deps.log.warn({ transfers: short.length }, 'the treasury does not hold enough; transfers wait');
  const heldBack = short.map(transfer => held(transfer, 'treasury_underfunded', shortSeconds));
  await refuseOutbound(deps.db, heldBack, deps.clock.now());
  await deps.tellProgress(short.map(({ row }) => ({ row, step: 'short', reference: null })));
}

/** A transfer that can be sent, one that must not be sent now, or the error of a network that did not answer. */
type Check =
  | { readonly ready: Ready }
  | { readonly refusal: RefusedOutbound }
  | { readonly unread: StellarUnavailable };

/** Checks a transfer. An unexpected error holds this transfer alone. */
async function check(deps: TreasuryDeps, row: ClockedOutbound): Promise<Check> {
  const refusal = (code: FailureCode) => ({ refusal: { row, failure: failure(code), heldUntil: null } });
  const ready = readable(deps, row);
  if (ready === null) return refusal('invalid_destination');
  try {
    const problem = await problemOf(deps, ready);
    return problem === null ? { ready } : refusal(problem);
  } catch (error) {
    if (error instanceof StellarUnavailable) return { unread: error };
    deps.log.error({ err: error, transfer: row.id }, 'a transfer could not be checked; it waits');
    return { refusal: held(ready, 'refused', refusedSeconds) };
  }
}

/** The transfer in the form that the treasury sends. Null if its address or memo is invalid. */
function readable({ log }: TreasuryDeps, row: ClockedOutbound): Ready | null {
  try {
    const ready = readyOf(row);
    if (isStellarAddress(ready.destination)) return ready;
    throw new TypeError('this is not an address on Stellar');
  } catch (error) {
    log.error({ err: error, transfer: row.id }, 'a transfer has an invalid address or memo; it fails');
    return null;
  }
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

/** The result of a batch: its stored transfers, the number of transfers that cannot be sent, and its error or null. */
interface Built {
  readonly kept: readonly Ready[];
  readonly refused: number;
  readonly error: unknown;
}

/** Builds a transaction for each free channel. The error of one batch does not stop the others. */
async function buildBatches(
  deps: BuildDeps,
  batches: readonly Batch<Ready>[],
  onShortage: (missing: number) => void,
): Promise<readonly Built[]> {
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
    return await Promise.all(
      channels.map(async (channel, index): Promise<Built> => {
        const batch = batches[index];
        if (batch === undefined) return notBuilt();
        const built = await buildOne(deps, { channel, batch, ledger, bid }).catch(notBuilt);
        if (built.kept.length > 0) loaded.add(channel);
        return built;
      }),
    );
  } finally {
    const unused = channels.filter(channel => !loaded.has(channel));
    await Promise.all(unused.map(channel => releaseChannel(db, channel, systemClock.now())));
  }
}

function notBuilt(error: unknown = null): Built {
  return { kept: [], refused: 0, error };
}

interface Plan extends EnvelopePlan<Ready> {
  readonly channel: ChannelRow;
}

/** Builds one transaction from the transfers that can be sent. The others fail alone, or wait. */
async function buildOne(deps: BuildDeps, plan: Plan): Promise<Built> {
  const sequence = await nextSequence(deps, plan.channel);
  if (sequence === null) {
    deps.log.error(
      { channel: plan.channel.address },
      'a channel account is missing, or its sequence number is not as expected',
    );
    return notBuilt();
  }
  // The SDK is loaded with the first transaction.
  const { draftSound } = await import('./envelope-maker.ts');
  const { draft, transfers, faulty } = draftSound(deps, plan, sequence);
  await failFaulty(deps, faulty);
  const sound = { ...plan, batch: { ...plan.batch, transfers } };
  const built = draft === null ? notBuilt() : await signAndKeep(deps, sound, draft);
  return { ...built, refused: built.refused + faulty.length };
}

/** Fails transfers that no transaction can carry. */
async function failFaulty({ db, clock, log }: TreasuryDeps, faulty: SoundDraft<Ready>['faulty']): Promise<void> {
  const refused = faulty.map(({ transfer: { row }, error }): RefusedOutbound => {
    log.error({ err: error, transfer: row.id }, 'no transaction can carry a transfer; it fails');
    const message = 'The payment is not valid on Stellar: its asset, amount or path is wrong.';
    return { row, failure: { code: 'refused', message }, heldUntil: null };
  });
  await refuseOutbound(db, refused, clock.now());
}

/** Signs and stores the draft. If the signer refuses it, holds the largest transfers and builds the others again. */
async function signAndKeep(deps: BuildDeps, plan: Plan, draft: Draft): Promise<Built> {
  const { signDraft } = await import('./envelope-maker.ts');
  let outcome: Kept = 'lost';
  try {
    outcome = await keep(deps, plan, await signDraft(deps, plan, draft));
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    const { transfers, refused } = await holdBack(deps, plan, error);
    if (transfers.length === 0) return { ...notBuilt(), refused };
    const built = await buildOne(deps, { ...plan, batch: { ...plan.batch, transfers } });
    return { ...built, refused: built.refused + refused };
  } finally {
    // A twin is the same transaction, stored by another server. It still counts against the daily limit.
    if (outcome === 'lost') await deps.signer.forget(draft.inner_hash);
  }
  return outcome === 'kept' ? { kept: plan.batch.transfers, refused: 0, error: null } : notBuilt();
}

/**
 * Holds the larger half of the transfers that the signer may have refused, because a smaller sum may stay within the
 * limit. They are tried again: the daily limit expires, and the operator can change the other limits. Returns the other
 * transfers, and the number of held transfers.
 */
async function holdBack({ db, clock, log }: TreasuryDeps, { batch }: Plan, refusal: SigningRefused) {
  const code = ({ unknown: 'refused', cap: 'over_cap', day_cap: 'day_cap' } as const)[refusal.reason];
  const takenBy = (transfer: Ready) =>
    refusal.asset === null ? transfer.sendMax : (outflowsOf(transfer).get(refusal.asset) ?? 0n);
  const suspects = batch.transfers
    .filter(transfer => takenBy(transfer) > 0n)
    .toSorted((a, b) => (takenBy(a) < takenBy(b) ? 1 : -1));
  const largest = new Set(suspects.slice(0, (suspects.length + 1) >> 1));
  log.error(
    { reason: refusal.message, transfers: [...largest].map(({ id }) => id) },
    'the signer refused a transaction; its largest transfers wait',
  );
  const refused = [...largest].map(transfer => held(transfer, code, refusedSeconds));
  await refuseOutbound(db, refused, clock.now());
  return { transfers: batch.transfers.filter(transfer => !largest.has(transfer)), refused: refused.length };
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
      merchant_id: row.merchant_id,
      transfer_id: row.id,
      delivery: transfer.delivery,
      first_operation: first - operations,
      operations,
    };
  });
}
