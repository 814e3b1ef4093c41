import { newId, randomText } from '../../core/id.ts';
import { type IngestedLedger, StellarUnavailable } from '../stellar/network.ts';
import { buildEnvelope, hashEnvelope, wrapFeeBump } from '../stellar/transaction.ts';
import { type Batch, operationCount, operationsOf, planBatches, type Sendable } from './batch.ts';
import { type ChannelRow, claimChannels, loadChannel, releaseChannels } from './channel.store.ts';
import { insertEnvelope, type NewEnvelope, type Passenger } from './envelope.store.ts';
import { validityFrom } from './envelope.ts';
import { bumpFee, firstBid, leastBid } from './fee.ts';
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
import { failure } from './outgoing.ts';
import { type SubmissionDeps, sendSweep } from './submission-deps.ts';
import { coverable } from './treasury-view.ts';

/** How long what is prepared stays the preparer’s: longer than the network may take to answer. */
const leaseSeconds = 30;
/** As many as a ledger takes. */
const mostAtOnce = 1_000;
/** How long a transfer waits for the treasury to be filled before it is looked at again. */
const shortSeconds = 10;
/** Reserve of a claimable balance with two claimants, in stroops: one base reserve each. */
const claimableReserve = 10_000_000n;

/** A transfer ready to be put into a transaction. */
type Ready = Sendable & { readonly row: OutgoingRow; readonly reserve: bigint };

/**
 * Puts queued transfers into transactions: checks whom they go to, gathers them, builds, signs and keeps. Nothing has
 * left the service when it returns; a process that dies on the way leaves transfers that are still queued, or
 * transactions that are kept. Returns how many transfers it dealt with.
 */
export async function buildTransactions(deps: SubmissionDeps, onShortage: (missing: number) => void): Promise<number> {
  const token = randomText(22);
  const rows = await claimQueued(deps.db, { token, limit: mostAtOnce, leaseSeconds });
  if (rows.length === 0) return 0;
  try {
    const ready = await preflight(deps, token, rows);
    const kept = await buildBatches(deps, token, planBatches(ready), onShortage);
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

/** Sorts out what cannot be sent: for good where it is the destination’s doing, for a while where the treasury is short. */
async function preflight(deps: SubmissionDeps, token: string, rows: readonly OutgoingRow[]): Promise<Ready[]> {
  const problems = await Promise.all(rows.map(row => problemOf(deps, row)));
  const refused: Refused[] = [];
  const sound: Ready[] = [];
  for (const [index, row] of rows.entries()) {
    const problem = problems[index] ?? null;
    if (problem === null) sound.push(toReady(row));
    else refused.push({ row, failure: failure(problem), heldSeconds: null });
  }
  const [spendable, committed] = await Promise.all([deps.treasury.spendable(), committedAmounts(deps.db)]);
  const { covered, short } = coverable(sound, spendable ?? new Map(), committed);
  const heldBack = short.map(({ row }) => ({
    row,
    failure: failure('treasury_underfunded'),
    heldSeconds: shortSeconds,
  }));
  await refuseQueued(deps.db, token, [...refused, ...heldBack]);
  return covered;
}

async function problemOf(deps: SubmissionDeps, row: OutgoingRow) {
  if (row.delivery === 'claimable_balance') return null;
  return await deps.destinations.problem({ ...row, hasMemo: row.memo !== null });
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

/** Builds as many transactions as there are channels free. Returns how many transfers are in them. */
async function buildBatches(
  deps: SubmissionDeps,
  token: string,
  batches: readonly Batch<Ready>[],
  onShortage: (missing: number) => void,
): Promise<number> {
  if (batches.length === 0) return 0;
  const { db, network, signer } = deps;
  const request = { treasury: signer.treasury, token, limit: batches.length, leaseSeconds };
  const channels = await claimChannels(db, request);
  if (channels.length < batches.length) onShortage(batches.length - channels.length);
  if (channels.length === 0) return 0;
  const [ledger, market] = await Promise.all([network.latestLedger(), network.fees()]);
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

interface Plan {
  readonly token: string;
  readonly channel: ChannelRow;
  readonly batch: Batch<Ready>;
  readonly ledger: IngestedLedger;
  /** Per operation, in stroops. */
  readonly bid: bigint;
}

async function buildOne(deps: SubmissionDeps, plan: Plan): Promise<boolean> {
  const sequence = await nextSequence(deps, plan.channel);
  if (sequence === null) {
    deps.log.error({ channel: plan.channel.address }, 'a channel account is not on the network');
    return false;
  }
  const envelope = await signEnvelope(deps, plan, sequence);
  return await keep(deps, plan, envelope);
}

/** The number after the last one used up. Another server may be behind, so what is known here is never undercut. */
async function nextSequence({ network }: SubmissionDeps, channel: ChannelRow): Promise<bigint | null> {
  if (!channel.must_read) return channel.sequence + 1n;
  const account = await network.account(channel.address);
  if (account === null) return null;
  return (account.sequence > channel.sequence ? account.sequence : channel.sequence) + 1n;
}

/**
 * The channel lends its sequence number, the treasury is the source of every operation and pays the fee by a fee bump:
 * so channels hold nothing, and a higher bid leaves the transaction as it is.
 */
async function signEnvelope(deps: SubmissionDeps, plan: Plan, sequence: bigint): Promise<NewEnvelope> {
  const { signer, network } = deps;
  const { channel, batch } = plan;
  const operations = batch.transfers.flatMap(transfer => operationsOf(transfer, signer.treasury));
  const validity = validityFrom(plan.ledger);
  const unsigned = buildEnvelope({
    source: channel.address,
    sequence,
    fee: leastBid * BigInt(operations.length),
    timeBounds: { min: 0, max: Math.floor(validity.maxTime.getTime() / 1000) },
    ledgerBounds: { min: 0, max: validity.maxLedger },
    memo: batch.memo,
    operations,
  });
  const innerXdr = await signer.sign(unsigned, channel.number);
  const fee = bumpFee(plan.bid, operations.length);
  const xdr = await signer.sign(wrapFeeBump(innerXdr, { feeSource: signer.treasury, fee }), null);
  return {
    ...validity,
    id: newId('envelope'),
    channel: channel.address,
    sequence,
    innerXdr,
    innerHash: hashEnvelope(innerXdr, network.passphrase),
    xdr,
    hash: hashEnvelope(xdr, network.passphrase),
    fee,
    operations: operations.length,
  };
}

/** Thrown to take back a transaction of the database in which something had changed hands. */
class LeaseLost extends Error {}

/** Keeps the transaction with all it carries, or, when any of it changed hands meanwhile, nothing. */
async function keep({ db, log }: SubmissionDeps, plan: Plan, envelope: NewEnvelope): Promise<boolean> {
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
    return true;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    log.warn({ channel: channel.address }, 'a transaction was not kept: what it was made of had changed hands');
    return false;
  }
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
