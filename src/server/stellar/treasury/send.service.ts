import { addSeconds, systemClock } from '../../../core/clock.ts';
import { type EndedOutbound, endOutbound, type OutboundKey } from '../../outbound/outbound.store.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import {
  type FeeMarket,
  type IngestedLedger,
  type LedgerOutcome,
  type ResultCodes,
  StellarUnavailable,
  type SubmitOutcome,
  type TransactionStatus,
} from '../network.ts';
import { freeChannel } from './channel.store.ts';
import { failureOfOperation } from './destination.ts';
import {
  type CarriedTransfer,
  carriedBy,
  claimEnvelopes,
  type EnvelopeEnd,
  type EnvelopeRow,
  endEnvelope,
  hashesOf,
  openEnvelopes,
  putOff,
  renewEnvelope,
  saveBump,
} from './envelope.store.ts';
import { builtAt, bumpFee, judgeEnvelope, nextBid, pauseAfter } from './envelope.ts';
import { buildSweep, submitSweep, type TreasuryDeps } from './treasury-deps.ts';

/** Seconds of an attempt's lease, and milliseconds between two renewals. */
const leaseSeconds = 15;
const renewEveryMs = 5_000;
/** Ledgers without a result after which a transaction offers a higher fee, if other transactions do. */
const patienceLedgers = 4;
const mostAttempts = 32;

/**
 * Submits stored transactions and follows them until they are in a ledger or expire. Attempts run concurrently, so a
 * slow attempt does not delay other attempts. Calls `onEnded` after transfers have ended or are queued again.
 */
export function createSender(deps: TreasuryDeps, onEnded: () => void): Sweep {
  const attempts = new Set<Promise<void>>();

  async function follow(envelope: EnvelopeRow): Promise<void> {
    const renew = () => void renewEnvelope(deps.db, envelope, inRealTime(leaseSeconds)).catch(() => false);
    const renewal = setInterval(renew, renewEveryMs);
    try {
      if (await attempt(deps, envelope)) onEnded();
    } catch (error) {
      deps.log.error(
        { err: error, envelope: envelope.id },
        'the outcome of a transaction could not be read and will be tried again',
      );
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    name: submitSweep,
    due: [openEnvelopes],
    run: async () => {
      const limit = mostAttempts - attempts.size;
      if (limit <= 0) return 0;
      const claimed = await claimEnvelopes(deps.db, { limit, leaseSeconds, now: systemClock.now() });
      for (const envelope of claimed) {
        const running = follow(envelope).finally(() => attempts.delete(running));
        attempts.add(running);
      }
      return claimed.length;
    },
    settled: async () => {
      await Promise.all(attempts);
    },
  };
}

/** A time of the real clock. Attempts depend on the network's real time, even if merchants use test clocks. */
function inRealTime(seconds: number): Date {
  return addSeconds(systemClock.now(), seconds);
}

/** Looks for a transaction that was submitted before. Submits it if it has not ended. Returns whether it has ended. */
async function attempt(deps: TreasuryDeps, envelope: EnvelopeRow): Promise<boolean> {
  try {
    if (envelope.attempts > 1) {
      const answers = await findAll(deps, envelope);
      const verdict = judgeEnvelope({ maxLedger: envelope.max_ledger, maxTime: envelope.max_time }, answers);
      if (verdict.state === 'ended') return await end(deps, envelope, verdict.outcome);
      if (verdict.state === 'expired') return await expire(deps, envelope, verdict.proof);
      if (await bidMoreUnderSurge(deps, envelope, answers)) return false;
    }
    return await submit(deps, envelope);
  } catch (error) {
    if (!(error instanceof StellarUnavailable)) throw error;
    await pause(deps, envelope, pauseAfter(envelope.attempts, error.retryAfterSeconds, deps.random()));
    return false;
  }
}

async function pause(deps: TreasuryDeps, envelope: EnvelopeRow, ms: number, codes?: ResultCodes): Promise<void> {
  await putOff(deps.db, envelope, { dueAt: inRealTime(ms / 1000), ...(codes && { codes }) });
  setTimeout(() => deps.wake(submitSweep), ms).unref();
}

/** Looks up each hash of the transaction, the newest fee bump first, until a hash is in a ledger. */
async function findAll({ db, network }: TreasuryDeps, envelope: EnvelopeRow): Promise<TransactionStatus[]> {
  const answers: TransactionStatus[] = [];
  for (const hash of (await hashesOf(db, envelope.id)).reverse()) {
    const answer = await network.status(hash);
    answers.push(answer);
    if (answer.state === 'applied') break;
  }
  return answers;
}

async function submit(deps: TreasuryDeps, envelope: EnvelopeRow): Promise<boolean> {
  const outcome = await deps.network.submit(envelope.xdr);
  if (outcome.state === 'applied') return await end(deps, envelope, outcome);
  if (outcome.state === 'refused' && outcome.codes.transaction === 'tx_insufficient_fee') {
    if (await bidMore(deps, envelope, await deps.network.fees())) return false;
  }
  await waitAfter(deps, envelope, outcome);
  return false;
}

/** Delays the next attempt. A refusal does not end a transaction: an earlier submission may have been accepted. */
async function waitAfter(
  deps: TreasuryDeps,
  envelope: EnvelopeRow,
  outcome: Exclude<SubmitOutcome, { state: 'applied' }>,
): Promise<void> {
  const { log, random, pollMs } = deps;
  const { attempts, id } = envelope;
  if (outcome.state === 'pending') return await pause(deps, envelope, pollMs);
  if (outcome.state === 'unknown') {
    const { reason, retryAfterSeconds } = outcome;
    log.warn({ envelope: id, reason }, 'the outcome of a submission is unknown; the same envelope is submitted again');
    return await pause(deps, envelope, pauseAfter(attempts, retryAfterSeconds, random()));
  }
  const { codes } = outcome;
  log.warn({ envelope: id, codes }, 'the network refused a transaction; its transfers wait until it expires');
  await pause(deps, envelope, pauseAfter(attempts, null, random()), codes);
}

/** Ends the transaction by its result in a ledger. Returns false if a later attempt has begun. */
async function end(deps: TreasuryDeps, envelope: EnvelopeRow, outcome: LedgerOutcome): Promise<boolean> {
  const { hash, ledger, codes, successful, feeCharged } = outcome;
  const { sentAmounts } = await import('../transaction/transaction-result.ts');
  const sent = sentAmounts(outcome.resultXdr);
  const end: EnvelopeEnd = {
    state: successful ? 'applied' : 'failed',
    code: codes.transaction,
    feeCharged,
    ledger: { sequence: ledger, closedAt: null },
  };
  const isBooked = await book(deps, envelope, end, (carried, now) =>
    successful
      ? carried.map(one => completed(one, outcome, sent[one.first_operation] ?? null))
      : releases(carried, codes.operations, now),
  );
  if (!isBooked) return false;
  deps.view.forget();
  if (successful) deps.log.info({ hash, ledger }, 'a transaction succeeded in a ledger');
  else deps.log.warn({ hash, ledger, codes }, 'a transaction failed in a ledger; its other transfers are sent again');
  return true;
}

/**
 * Ends a transaction that can never be in a ledger, as `proof` shows. A transfer fails if its operation was refused.
 */
async function expire(deps: TreasuryDeps, envelope: EnvelopeRow, proof: IngestedLedger): Promise<boolean> {
  const end = { state: 'expired', code: envelope.result_code ?? 'expired', ledger: proof, feeCharged: null } as const;
  const isBooked = await book(deps, envelope, end, (carried, now) => releases(carried, envelope.operation_codes, now));
  if (!isBooked) return false;
  deps.log.warn(
    { envelope: envelope.id, ledger: proof.sequence },
    'a transaction expired; its transfers are sent again',
  );
  return true;
}

/** Books the end of a transaction with its transfers and its channel. Returns false if a later attempt has begun. */
async function book(
  { db, clock, signer, wake }: TreasuryDeps,
  envelope: EnvelopeRow,
  end: EnvelopeEnd,
  endsOf: (carried: readonly CarriedTransfer[], now: Date) => EndedOutbound[],
): Promise<boolean> {
  const isBooked = await db.transaction().execute(async tx => {
    if (!(await endEnvelope(tx, envelope, end))) return false;
    const now = clock.now();
    const ends = endsOf(await carriedBy(tx, envelope.id), now);
    await endOutbound(tx, ends, { now, carrierId: envelope.id });
    // Only transactions with these two results have used the sequence number.
    const isUsed = end.state !== 'expired' && ['tx_success', 'tx_failed'].includes(end.code);
    await freeChannel(tx, envelope.id, isUsed ? envelope.sequence : null);
    return true;
  });
  if (!isBooked) return false;
  if (end.state !== 'applied') await signer.forget(envelope.inner_hash);
  wake(buildSweep);
  return true;
}

/**
 * Raises the fee if the transaction has waited for several ledgers and other bids are higher. Returns whether it did.
 */
async function bidMoreUnderSurge(
  deps: TreasuryDeps,
  envelope: EnvelopeRow,
  answers: readonly TransactionStatus[],
): Promise<boolean> {
  const newest = Math.max(...answers.map(answer => (answer.state === 'not_found' ? answer.ingested.sequence : 0)));
  const bids = answers.length - 1;
  if (newest - builtAt({ maxLedger: envelope.max_ledger }) < patienceLedgers * bids) return false;
  const market = await deps.network.fees();
  return market.usual > bidOf(envelope) && (await bidMore(deps, envelope, market));
}

/**
 * Wraps the transaction in a fee bump with a higher fee and stores it. Returns false if the cap is reached, or if a
 * later attempt has begun.
 */
async function bidMore(deps: TreasuryDeps, envelope: EnvelopeRow, market: FeeMarket): Promise<boolean> {
  const bid = nextBid(bidOf(envelope), market, deps.feeCap);
  if (bid === null) {
    deps.log.warn({ envelope: envelope.id }, 'the network fee exceeds the fee limit; transfers wait');
    return false;
  }
  const fee = bumpFee(bid, envelope.operations);
  const { hashEnvelope, wrapFeeBump } = await import('../transaction/transaction.ts');
  const xdr = await deps.signer.sign(wrapFeeBump(envelope.inner_xdr, { feeSource: deps.signer.treasury, fee }), null);
  const bump = { xdr, fee, hash: hashEnvelope(xdr, deps.network.passphrase) };
  const isKept = await deps.db.transaction().execute(tx => saveBump(tx, envelope, bump, systemClock.now()));
  if (isKept) deps.wake(submitSweep);
  return isKept;
}

function bidOf({ fee, operations }: EnvelopeRow): bigint {
  return fee / BigInt(operations + 1);
}

/** Seconds for which transfers wait after their transaction failed through no fault of theirs. */
const oddPauseSeconds = 30;

function keyOf({ merchant_id, transfer_id: id }: CarriedTransfer): OutboundKey {
  return { merchant_id, id };
}

function completed(one: CarriedTransfer, { hash, ledger }: LedgerOutcome, sentAmount: bigint | null): EndedOutbound {
  const end = { state: 'completed', reference: hash, ledger, ...(sentAmount !== null && { sentAmount }) } as const;
  return { key: keyOf(one), end };
}

/** The ledger undoes a failed transaction completely. Transfers with a failed operation end; others are requeued. */
function releases(carried: readonly CarriedTransfer[], codes: readonly string[], now: Date): EndedOutbound[] {
  const failures = carried.map(({ first_operation: first, operations, delivery }) => {
    const failing = codes.slice(first, first + operations).find(code => code !== 'op_success');
    return failing === undefined ? null : failureOfOperation(failing, delivery);
  });
  const isExplained = codes.length === 0 || failures.some(failure => failure !== null);
  const dueAt = isExplained ? null : addSeconds(now, oddPauseSeconds);
  return carried.map((one, index) => {
    const failure = failures[index] ?? null;
    return { key: keyOf(one), end: failure === null ? { state: 'queued', dueAt } : { state: 'failed', ...failure } };
  });
}
