import type { Tx } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import {
  type IngestedLedger,
  type LedgerOutcome,
  StellarUnavailable,
  type SubmitOutcome,
  type TransactionStatus,
} from '../network.ts';
import { freeChannel } from './channel.store.ts';
import {
  claimEnvelopes,
  type EnvelopeEnd,
  type EnvelopeRow,
  endEnvelope,
  hashesOf,
  passengersOf,
  putOff,
  renewEnvelope,
  saveBump,
} from './envelope.store.ts';
import { afterRefusal, builtAt, bumpFee, type FeeMarket, judgeEnvelope, nextBid, pauseAfter } from './envelope.ts';
import { endApplied, endUnapplied, type TransferEnd } from './outgoing.store.ts';
import { failureOfOperation } from './outgoing.ts';
import { buildSweep, type SubmissionDeps, sendSweep } from './treasury-deps.ts';

/** How long an attempt is its holder’s own without a word from it; it renews that well before. */
const leaseSeconds = 15;
const renewEveryMs = 5_000;
/** A transaction that has waited this many ledgers bids more where others do. */
const patienceLedgers = 4;
/** Attempts at once in a process. */
const mostFlights = 32;

/** What is told when transactions have ended. */
export interface SenderHooks {
  /** Transfers have ended, or are free to go by another transaction. */
  readonly onEnded: () => void;
}

/**
 * Hands in what is kept and follows it until it is in a ledger, or in none for ever. Attempts run beside each other, so
 * that one the network does not answer holds up no other.
 */
export function createSender(deps: SubmissionDeps, hooks: SenderHooks): Sweep {
  const flights = new Set<Promise<void>>();

  async function fly(envelope: EnvelopeRow): Promise<void> {
    const renewal = setInterval(
      () => void renewEnvelope(deps.db, envelope, leaseSeconds).catch(() => false),
      renewEveryMs,
    );
    try {
      if (await attempt(deps, envelope)) hooks.onEnded();
    } catch (error) {
      deps.log.error({ err: error, envelope: envelope.id }, 'a transaction could not be followed and will be again');
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    name: sendSweep,
    everyMs: deps.pollMs,
    run: async () => {
      const room = mostFlights - flights.size;
      const claimed = room > 0 ? await claimEnvelopes(deps.db, room, leaseSeconds) : [];
      for (const envelope of claimed) {
        const flight = fly(envelope).finally(() => flights.delete(flight));
        flights.add(flight);
      }
      return claimed.length;
    },
    settled: async () => {
      await Promise.all(flights);
    },
  };
}

/** One attempt: asks after what was handed in before, and hands it in unless it waits already. True: it has ended. */
async function attempt(deps: SubmissionDeps, envelope: EnvelopeRow): Promise<boolean> {
  try {
    if (envelope.attempts > 1) {
      const answers = await ask(deps, envelope);
      const verdict = judgeEnvelope({ maxLedger: envelope.max_ledger, maxTime: envelope.max_time }, answers);
      if (verdict.state === 'ended') return await end(deps, envelope, verdict.outcome);
      if (verdict.state === 'expired') return await expire(deps, envelope, verdict.proof);
      if (await bidMoreUnderSurge(deps, envelope, answers)) return false;
    }
    return await handIn(deps, envelope);
  } catch (error) {
    if (!(error instanceof StellarUnavailable)) throw error;
    await putOff(deps.db, envelope, {
      pauseMs: pauseAfter(envelope.attempts, error.retryAfterSeconds, deps.random()),
    });
    return false;
  }
}

/** Asks after every hash, the newest bid first; one that is in a ledger settles it. */
async function ask({ db, network }: SubmissionDeps, envelope: EnvelopeRow): Promise<TransactionStatus[]> {
  const answers: TransactionStatus[] = [];
  for (const hash of (await hashesOf(db, envelope.id)).reverse()) {
    const answer = await network.status(hash);
    answers.push(answer);
    if (answer.state === 'applied') break;
  }
  return answers;
}

async function handIn(deps: SubmissionDeps, envelope: EnvelopeRow): Promise<boolean> {
  const outcome = await deps.network.submit(envelope.xdr);
  if (outcome.state === 'applied') return await end(deps, envelope, outcome);
  if (outcome.state === 'refused' && afterRefusal(outcome.codes.transaction) === 'bid_more') {
    if (await bidMore(deps, envelope, await deps.network.fees())) return false;
  }
  await putOff(deps.db, envelope, pauseFor(deps, envelope, outcome));
  return false;
}

function pauseFor(
  { log, random, pollMs }: SubmissionDeps,
  { attempts, id }: EnvelopeRow,
  outcome: Exclude<SubmitOutcome, { state: 'applied' }>,
): Parameters<typeof putOff>[2] {
  if (outcome.state === 'pending') return { pauseMs: pollMs };
  if (outcome.state === 'unknown') {
    log.warn(
      { envelope: id, reason: outcome.reason },
      'nobody knows whether a transaction was taken; the same goes again',
    );
    return { pauseMs: pauseAfter(attempts, outcome.retryAfterSeconds, random()) };
  }
  log.warn(
    { envelope: id, codes: outcome.codes },
    'the network refused a transaction; it waits for its time to run out',
  );
  return { pauseMs: pauseAfter(attempts, null, random()), codes: outcome.codes };
}

async function end(deps: SubmissionDeps, envelope: EnvelopeRow, outcome: LedgerOutcome): Promise<boolean> {
  const isMine = await deps.db.transaction().execute(tx => endInLedger(tx, envelope, outcome));
  if (!isMine) return false;
  deps.treasury.forget();
  if (!outcome.successful) await deps.signer.forget(envelope.inner_hash);
  const { hash, ledger, codes } = outcome;
  if (outcome.successful) deps.log.info({ hash, ledger }, 'a transaction is in a ledger');
  else deps.log.warn({ hash, ledger, codes }, 'a transaction failed in a ledger; what was not at fault goes again');
  deps.wake(buildSweep);
  return true;
}

async function expire(deps: SubmissionDeps, envelope: EnvelopeRow, proof: IngestedLedger): Promise<boolean> {
  const isMine = await deps.db.transaction().execute(tx => endExpired(tx, envelope, proof));
  if (!isMine) return false;
  await deps.signer.forget(envelope.inner_hash);
  deps.log.warn(
    { envelope: envelope.id, ledger: proof.sequence },
    'a transaction ran out of time; what it carried goes again',
  );
  deps.wake(buildSweep);
  return true;
}

/** A transaction that has waited for some ledgers while others offer more is outbid: it offers more, too. */
async function bidMoreUnderSurge(
  deps: SubmissionDeps,
  envelope: EnvelopeRow,
  answers: readonly TransactionStatus[],
): Promise<boolean> {
  const newest = Math.max(...answers.map(answer => (answer.state === 'not_found' ? answer.ingested.sequence : 0)));
  const bids = answers.length - 1;
  if (newest - builtAt({ maxLedger: envelope.max_ledger }) < patienceLedgers * bids) return false;
  const market = await deps.network.fees();
  return market.usual > bidOf(envelope) && (await bidMore(deps, envelope, market));
}

/** Wraps the same transaction in a fee bump that offers more, and keeps that before it is handed in. False: the cap is reached. */
async function bidMore(deps: SubmissionDeps, envelope: EnvelopeRow, market: FeeMarket): Promise<boolean> {
  const bid = nextBid(bidOf(envelope), market, deps.feeCap);
  if (bid === null) {
    deps.log.warn(
      { envelope: envelope.id },
      'the network asks for more than the fee cap allows; money waits to be sent',
    );
    return false;
  }
  const fee = bumpFee(bid, envelope.operations);
  const { hashEnvelope, wrapFeeBump } = await import('../transaction/transaction.ts');
  const xdr = await deps.signer.sign(wrapFeeBump(envelope.inner_xdr, { feeSource: deps.signer.treasury, fee }), null);
  const bump = { xdr, fee, hash: hashEnvelope(xdr, deps.network.passphrase) };
  const isKept = await deps.db.transaction().execute(tx => saveBump(tx, envelope, bump));
  if (isKept) deps.wake(sendSweep);
  return isKept;
}

/** What the newest bid offers per operation. */
function bidOf({ fee, operations }: EnvelopeRow): bigint {
  return fee / BigInt(operations + 1);
}

type PassengerRow = Awaited<ReturnType<typeof passengersOf>>[number];

/** How long transfers wait before they are tried again when the transaction failed for a reason of its own, in seconds. */
const oddPauseSeconds = 30;

/**
 * Books that a transaction is in a ledger, for itself, its channel and all it carries, at once. False when the attempt
 * is no longer the holder’s.
 */
async function endInLedger(tx: Tx, envelope: EnvelopeRow, outcome: LedgerOutcome): Promise<boolean> {
  const end: EnvelopeEnd = {
    state: outcome.successful ? 'applied' : 'failed',
    code: outcome.codes.transaction,
    ledger: { sequence: outcome.ledger, closedAt: null },
    feeCharged: outcome.feeCharged,
  };
  if (!(await endEnvelope(tx, envelope, end))) return false;
  const aboard = await passengersOf(tx, envelope.id);
  if (outcome.successful) {
    const { sentAmounts } = await import('../transaction/transaction-result.ts');
    const sent = sentAmounts(outcome.resultXdr);
    const ends = aboard.map(passenger => appliedEnd(passenger, sent[passenger.first_operation] ?? null));
    await endApplied(tx, envelope.id, { hash: outcome.hash, ledger: outcome.ledger, ends });
  } else {
    await release(tx, envelope.id, aboard, outcome.codes.operations);
  }
  // A transaction that fails as a whole for its sequence number has not used it up; the network knows.
  const isUsed = outcome.codes.transaction === 'tx_success' || outcome.codes.transaction === 'tx_failed';
  await freeChannel(tx, envelope.id, isUsed ? envelope.sequence : null);
  return true;
}

/**
 * Books that a transaction can be in no ledger for ever, as `proof` shows, and frees what it carries. What the network
 * refused for an operation that is wrong in itself ends with it; the others go by another transaction.
 */
async function endExpired(tx: Tx, envelope: EnvelopeRow, proof: IngestedLedger): Promise<boolean> {
  const end: EnvelopeEnd = {
    state: 'expired',
    code: envelope.result_code ?? 'expired',
    ledger: proof,
    feeCharged: null,
  };
  if (!(await endEnvelope(tx, envelope, end))) return false;
  await release(tx, envelope.id, await passengersOf(tx, envelope.id), envelope.operation_codes);
  await freeChannel(tx, envelope.id, null);
  return true;
}

function appliedEnd(passenger: PassengerRow, sourceAmount: bigint | null): TransferEnd {
  const { merchant_id: merchantId, transfer_id: transferId } = passenger;
  return { merchantId, transferId, sourceAmount, failure: null };
}

/** A failed transaction undid everything in it: only whose own operation failed is at fault. */
async function release(
  tx: Tx,
  envelopeId: string,
  aboard: readonly PassengerRow[],
  codes: readonly string[],
): Promise<void> {
  const ends = aboard.map(passenger => unappliedEnd(passenger, codes));
  const isExplained = codes.length === 0 || ends.some(({ failure }) => failure !== null);
  await endUnapplied(tx, envelopeId, ends, isExplained ? 0 : oddPauseSeconds);
}

function unappliedEnd(passenger: PassengerRow, codes: readonly string[]): TransferEnd {
  const { merchant_id: merchantId, transfer_id: transferId, first_operation: first, operations } = passenger;
  const failing = codes.slice(first, first + operations).find(code => code !== 'op_success');
  const failure = failing === undefined ? null : failureOfOperation(failing, passenger.delivery);
  return { merchantId, transferId, sourceAmount: null, failure };
}
