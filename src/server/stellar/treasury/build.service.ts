import { randomText } from '../../../core/id.ts';
import { StellarUnavailable } from '../network.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import { type Batch, isOverCap, operationCount, outflowsOf, planBatches, type Sendable } from './batch.ts';
import { type ChannelRow, claimChannels, explainedSequence, loadChannel, releaseChannels } from './channel.store.ts';
import { insertEnvelope, type NewEnvelope, type Passenger } from './envelope.store.ts';
import { firstBid } from './envelope.ts';
import type { EnvelopePlan } from './envelope-maker.ts';
import {
  assignOutgoing,
  claimQueued,
  committedAmounts,
  memoOf,
  type OutgoingRow,
  type Refused,
  refuseQueued,
  releaseQueued,
} from './outgoing.store.ts';
import { type FailureCode, failure } from './outgoing.ts';
import { isAhead, type SequenceWatch } from './sequence-watch.service.ts';
import { type SubmissionDeps, sendSweep } from './treasury-deps.ts';
import { coverable } from './treasury-view.ts';

/** How long what is prepared stays the preparer’s: longer than the network may take to answer. */
const leaseSeconds = 30;
/** As many as a ledger takes. */
const mostAtOnce = 1_000;
/** How long transfers wait that the signer does not let leave now. */
const refusedSeconds = 300;

/** What building needs. */
export interface BuildDeps extends SubmissionDeps {
  /** Whether anything may leave. */
  readonly sequences: Pick<SequenceWatch, 'inStep' | 'doubt'>;
}

/**
 * Puts queued transfers into transactions: checks whom they go to, gathers them, builds, signs and keeps. Nothing has
 * left the service when it returns; a process that dies on the way leaves transfers that are still queued, or
 * transactions that are kept. Returns how many transfers it dealt with.
 */
export async function buildTransactions(deps: BuildDeps, onShortage: (missing: number) => void): Promise<number> {
  if (!(await deps.sequences.inStep())) return 0;
  const token = randomText(22);
  const rows = await claimQueued(deps.db, { token, limit: mostAtOnce, leaseSeconds });
  if (rows.length === 0) return 0;
  try {
    const ready = await preflight(deps, token, rows);
    const kept = await buildBatches(deps, token, planBatches(ready, deps.signer.transactionCap), onShortage);
    if (kept > 0) deps.wake(sendSweep);
    return kept + rows.length - ready.length;
  } catch (error) {
    if (!(error instanceof StellarUnavailable)) throw error;
    deps.log.warn({ reason: error.message }, 'the Stellar network cannot be asked; money waits to be sent');
    return 0;
  } finally {
    await releaseQueued(deps.db, token);
    await releaseChannels(deps.db, token);
  }
}

/** Builds as many transactions as there are channels free. Returns how many transfers are in them. */
async function buildBatches(
  deps: BuildDeps,
  token: string,
  batches: readonly Batch<Ready>[],
  onShortage: (missing: number) => void,
): Promise<number> {
  if (batches.length === 0) return 0;
  const { db, signer } = deps;
  const request = { treasury: signer.treasury, token, limit: batches.length, leaseSeconds };
  const channels = await claimChannels(db, request);
  if (channels.length < batches.length) onShortage(batches.length - channels.length);
  if (channels.length === 0) return 0;
  const { ledger, market } = await deps.ledger.read();
  const bid = firstBid(market, deps.feeCap);
  const kept = await Promise.all(
    channels.map(async (channel, index) => {
      const batch = batches[index];
      if (batch === undefined) return 0;
      const isKept = await buildOne(deps, { token, channel, batch, ledger, bid });
      return isKept ? batch.transfers.length : 0;
    }),
  );
  return kept.reduce((sum, count) => sum + count, 0);
}

interface Plan extends EnvelopePlan {
  readonly channel: ChannelRow;
  readonly token: string;
  readonly batch: Batch<Ready>;
}

async function buildOne(deps: BuildDeps, plan: Plan): Promise<boolean> {
  const sequence = await nextSequence(deps, plan.channel);
  if (sequence === null) {
    deps.log.error({ channel: plan.channel.address }, 'a channel account is not on the network as it was left');
    return false;
  }
  // What builds and signs is loaded when money leaves for the first time.
  const { draftEnvelope, signDraft } = await import('./envelope-maker.ts');
  const draft = draftEnvelope(deps, plan, sequence);
  let outcome: Kept = 'lost';
  try {
    outcome = await keep(deps, plan, await signDraft(deps, plan, draft));
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    await holdBack(deps, plan, error);
  } finally {
    // What another has kept as its own stays counted.
    if (outcome === 'lost') await deps.signer.forget(draft.innerHash);
  }
  return outcome === 'kept';
}

/** What the signer does not let leave waits: the day's cap lifts by itself, the others are the operator's to change. */
async function holdBack({ db, log }: SubmissionDeps, { batch, token }: Plan, refusal: SigningRefused): Promise<void> {
  log.error({ reason: refusal.message }, 'the signer lets money wait');
  const reason = failure(refusal.reason === 'unknown' ? 'refused' : refusal.reason === 'cap' ? 'over_cap' : 'day_cap');
  const held = batch.transfers
    .filter(transfer => refusal.asset === null || outflowsOf(transfer).has(refusal.asset))
    .map(({ row }) => ({ row, failure: reason, heldSeconds: refusedSeconds }));
  await refuseQueued(db, token, held);
}

/** The number after the last one used up. Another server may be behind, so what is known here is never undercut. */
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

/** Thrown to take back a transaction of the database in which something had changed hands. */
class LeaseLost extends Error {}

/** Kept; or not, since what it was made of changed hands; or not, since whoever has it now has made the very same. */
type Kept = 'kept' | 'lost' | 'twin';

/** Keeps the transaction with all it carries, or, when any of it changed hands meanwhile, nothing. */
async function keep({ db, log }: SubmissionDeps, plan: Plan, envelope: NewEnvelope): Promise<Kept> {
  const { token, batch, channel } = plan;
  const rows = batch.transfers.map(({ row }) => row);
  try {
    await db.transaction().execute(async tx => {
      await insertEnvelope(tx, envelope, passengers(batch));
      const isHolder =
        (await assignOutgoing(tx, token, envelope.id, rows)) &&
        (await loadChannel(tx, channel.address, token, envelope.id));
      if (!isHolder) throw new LeaseLost();
    });
    return 'kept';
  } catch (error) {
    const isTwin = isKeptAlready(error);
    if (!isTwin && !(error instanceof LeaseLost)) throw error;
    log.warn({ channel: channel.address }, 'a transaction was not kept: what it was made of had changed hands');
    return isTwin ? 'twin' : 'lost';
  }
}

function isKeptAlready(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'stellar_envelopes_inner_hash_key';
}

function passengers(batch: Batch<Ready>): Passenger[] {
  let first = 0;
  return batch.transfers.map(transfer => {
    const operations = operationCount(transfer);
    const passenger = {
      merchant_id: transfer.row.merchant_id,
      transfer_id: transfer.id,
      first_operation: first,
      operations,
    };
    first += operations;
    return passenger;
  });
}

/** A transfer ready to be put into a transaction, and the XLM (stroops) that it takes as a reserve. */
type Ready = Sendable & { readonly row: OutgoingRow; readonly reserve: bigint };

/** How long a transfer waits for the treasury to be filled before it is looked at again. */
const shortSeconds = 10;
/** Reserve of a claimable balance with two claimants, in stroops: one base reserve each. */
const claimableReserve = 10_000_000n;

/**
 * Sorts out, of transfers claimed with the token, what cannot be sent: for good where it is the destination's doing, for
 * a while where the treasury is short. Returns the others. Throws `StellarUnavailable`.
 */
async function preflight(deps: SubmissionDeps, token: string, rows: readonly OutgoingRow[]): Promise<Ready[]> {
  const all = rows.map(toReady);
  const problems = await Promise.all(all.map(transfer => problemOf(deps, transfer)));
  const refused: Refused[] = [];
  const sound: Ready[] = [];
  for (const [index, transfer] of all.entries()) {
    const problem = problems[index] ?? null;
    if (problem === null) sound.push(transfer);
    else refused.push({ row: transfer.row, failure: failure(problem), heldSeconds: null });
  }
  const [spendable, committed] = await Promise.all([
    deps.treasury.spendable(),
    committedAmounts(deps.db, ['assigned', 'submitted']),
  ]);
  const { covered, short } = coverable(sound, spendable ?? new Map(), committed);
  const reason = failure('treasury_underfunded');
  const heldBack = short.map(({ row }) => ({ row, failure: reason, heldSeconds: shortSeconds }));
  if (short.length > 0) deps.log.warn({ transfers: short.length }, 'the treasury is short; money waits to be sent');
  await refuseQueued(deps.db, token, [...refused, ...heldBack]);
  return covered;
}

async function problemOf(deps: SubmissionDeps, transfer: Ready): Promise<FailureCode | null> {
  if (isOverCap(transfer, deps.signer.transactionCap)) return 'over_cap';
  if (transfer.delivery === 'claimable_balance') return null;
  return await deps.destinations.problem({ ...transfer, hasMemo: transfer.memo !== null });
}

function toReady(row: OutgoingRow): Ready {
  return {
    row,
    id: row.id,
    delivery: row.delivery,
    destination: row.destination,
    memo: memoOf(row),
    asset: row.asset,
    amount: row.amount,
    sourceAsset: row.source_asset,
    sendMax: row.send_max,
    path: row.path,
    reserve: row.delivery === 'claimable_balance' ? claimableReserve : 0n,
  };
}
