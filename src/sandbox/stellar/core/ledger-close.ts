import { least } from '../../../core/money.ts';
import type { Movement } from './operations/operation.ts';
import { accountAt } from './state/balances.ts';
import type { ChangedEntry, LedgerHeader } from './state/entries.ts';
import type { LedgerState } from './state/ledger-state.ts';
import { applyTransaction, type Charge } from './transactions/application.ts';
import { type Frame, resultXdr } from './transactions/transaction.ts';
import type { LedgerRules, TransactionQueue } from './transactions/transaction-queue.ts';
import { baseFeeOf, orderForApply, type Picked, pickBestPaid, trimInvalid } from './transactions/transaction-set.ts';
import { feeFor, type Moment } from './transactions/validity.ts';

/** A transaction of a closed ledger. */
export interface AppliedTransaction {
  readonly hash: string;
  /** The hash of the inner transaction. Null if this is not a fee bump. */
  readonly innerHash: string | null;
  readonly envelopeXdr: string;
  /** `TransactionResult`, base64. */
  readonly resultXdr: string;
  readonly successful: boolean;
  readonly feeCharged: bigint;
  /** Movements by operation index. Empty if the transaction failed. */
  readonly movements: readonly (Movement | null)[];
}

/** A closed ledger and the changes that it made. */
export interface ClosedLedger {
  readonly header: LedgerHeader;
  /** The transactions in the order in which they were applied. */
  readonly transactions: readonly AppliedTransaction[];
  readonly changes: readonly ChangedEntry[];
  /** Hashes of pending transactions that the queue dropped, for example replaced, invalid or too old transactions. */
  readonly dropped: readonly string[];
}

/** The longest time until the next close that validity checks assume, in seconds. */
const expectedCloseSeconds = 10n;

/** The sequence and close time of the next ledger, for validity checks. */
export function nextMoment({ header: { sequence, closeTime } }: LedgerState): Moment {
  return { ledger: sequence + 1, earliest: closeTime, latest: closeTime + expectedCloseSeconds };
}

/** Charges a fee, which may use up a part of the reserve. All fees are charged before any transaction is applied. */
function chargeFee(state: LedgerState, frame: Frame, baseFee: bigint, rules: LedgerRules): Charge {
  const payer = accountAt(state, frame.feeSource);
  const fee = least(payer.balance, least(frame.feeBid, feeFor(frame, baseFee)));
  state.accounts.set(payer.id, { ...payer, balance: payer.balance - fee });
  state.header = { ...state.header, feePool: state.header.feePool + fee };
  const { inner } = frame;
  const innerFee = inner && !rules.feeBumpInnerFeeZero ? least(inner.feeBid, feeFor(inner, baseFee)) : 0n;
  return { fee, innerFee };
}

/**
 * Records the highest sequence that each source uses in the ledger. Only account merges need these sequences, so a
 * ledger without merges has none (stellar-core’s `MAX_SEQ_NUM_TO_APPLY`).
 */
function recordHighestSequences(state: LedgerState, frames: readonly Frame[]): void {
  const highest = state.highestSequences;
  highest.clear();
  if (!frames.some(({ operations }) => operations.some(({ body }) => body.type === 8))) return;
  for (const { source, sequence } of frames) {
    if (sequence > (highest.get(source) ?? -1n)) highest.set(source, sequence);
  }
}

function applyAll(
  state: LedgerState,
  frames: readonly Frame[],
  baseFee: bigint,
  rules: LedgerRules,
): AppliedTransaction[] {
  const charged = frames.map(frame => ({ frame, charge: chargeFee(state, frame, baseFee, rules) }));
  recordHighestSequences(state, frames);
  return charged.map(({ frame, charge }) => {
    const { result, movements } = applyTransaction(state, frame, charge);
    return {
      hash: frame.hash,
      innerHash: frame.inner?.hash ?? null,
      envelopeXdr: frame.envelopeXdr,
      resultXdr: resultXdr(result),
      successful: result.result.code === 0 || result.result.code === 1,
      feeCharged: charge.fee,
      movements,
    };
  });
}

/** Charges the fees, then applies the transactions under the new header. An error leaves the state unchanged. */
function applySet(state: LedgerState, set: Picked, header: LedgerHeader, rules: LedgerRules): AppliedTransaction[] {
  const mark = state.journal.mark();
  try {
    state.header = header;
    return applyAll(state, set.frames, baseFeeOf(state, set, rules.surgeOnlyWhenFull), rules);
  } catch (error) {
    state.journal.undo(mark);
    throw error;
  }
}

function frameOf(queue: TransactionQueue, hash: string): Frame {
  const frame = queue.find(hash);
  if (!frame) throw new RangeError(`transaction ${hash} is not pending`);
  return frame;
}

/**
 * Closes the next ledger with pending transactions. To replay a recorded ledger, `applyOrder` lists its transaction
 * hashes.
 */
export function closeLedger(
  state: LedgerState,
  queue: TransactionQueue,
  rules: LedgerRules,
  closeTime: bigint,
  applyOrder?: readonly string[],
): ClosedLedger {
  const ledger = state.header.sequence + 1;
  const moment = { ledger, earliest: closeTime, latest: closeTime };
  const { valid, invalid } = trimInvalid(state, queue.candidates(ledger), moment);
  queue.ban(invalid);
  const { frames: best, isFull } = pickBestPaid(valid, state.header.maxTxSetSize);
  const frames = applyOrder ? applyOrder.map(hash => frameOf(queue, hash)) : orderForApply(best);
  const header = { ...state.header, sequence: ledger, closeTime };
  const transactions = applySet(state, { frames, isFull }, header, rules);
  const changes = state.settle();
  updateQueue(state, queue, frames);
  return { header: state.header, transactions, changes, dropped: queue.takeDropped() };
}

/** Updates the queue after one or several ledgers, which this or another process closed. */
export function updateQueue(state: LedgerState, queue: TransactionQueue, applied: readonly Frame[], ledgers = 1): void {
  queue.removeApplied(applied);
  for (let shifts = 0; shifts < ledgers; shifts++) queue.shift();
  const moment = nextMoment(state);
  queue.ban(trimInvalid(state, queue.candidates(moment.ledger), moment).invalid);
}
