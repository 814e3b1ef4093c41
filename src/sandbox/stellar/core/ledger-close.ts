import { accountAt } from './state/balances.ts';
import type { ChangedEntry, LedgerHeader } from './state/entries.ts';
import { settleChanges } from './state/ledger-changes.ts';
import type { LedgerState } from './state/ledger-state.ts';
import { applyTransaction, type Charge } from './transactions/application.ts';
import type { Frame } from './transactions/transaction-frame.ts';
import type { LedgerRules, TransactionQueue } from './transactions/transaction-queue.ts';
import { resultXdr } from './transactions/transaction-result.ts';
import { baseFeeOf, orderForApply, type Picked, pickBestPaid, trimInvalid } from './transactions/transaction-set.ts';
import { feeFor, type Moment } from './transactions/validity.ts';

/** A transaction that was applied. */
export interface AppliedTransaction {
  readonly hash: string;
  /** Of a fee bump, the hash of what it carries. */
  readonly innerHash: string | null;
  readonly envelopeXdr: string;
  /** `TransactionResult`, base64. */
  readonly resultXdr: string;
  readonly successful: boolean;
  readonly feeCharged: bigint;
}

/** All that a close brought about. */
export interface ClosedLedger {
  readonly header: LedgerHeader;
  /** In the order they were applied. */
  readonly transactions: readonly AppliedTransaction[];
  readonly changes: readonly ChangedEntry[];
  /** Hashes of queued transactions that fell out (their bounds passed, they were replaced or waited too long). */
  readonly dropped: readonly string[];
}

/** Seconds within which the next ledger is expected to close, at the latest. */
const expectedClose = 10n;

/** The moment of the ledger that comes next, as far as it is known. */
export function nextMoment({ header: { sequence, closeTime } }: LedgerState): Moment {
  return { ledger: sequence + 1, earliest: closeTime, latest: closeTime + expectedClose };
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** All fees are taken before anything is applied; they may eat into a reserve. */
function chargeFee(state: LedgerState, frame: Frame, baseFee: bigint, rules: LedgerRules): Charge {
  const payer = accountAt(state, frame.feeSource);
  const fee = least(payer.balance, least(frame.feeBid, feeFor(frame, baseFee)));
  state.accounts.set(payer.id, { ...payer, balance: payer.balance - fee });
  state.header = { ...state.header, feePool: state.header.feePool + fee };
  const { inner } = frame;
  const innerFee = inner && !rules.feeBumpInnerFeeZero ? least(inner.feeBid, feeFor(inner, baseFee)) : 0n;
  return { fee, innerFee };
}

/** Merges look at what is yet to come, so that no sequence is used twice (CAP-21). */
function noteSequences(state: LedgerState, frames: readonly Frame[]): void {
  const merges = frames.some(({ operations }) => operations.some(({ body }) => body.type === 8));
  state.sequencesToCome.clear();
  if (!merges) return;
  for (const { source, sequence } of frames) {
    if (sequence > (state.sequencesToCome.get(source) ?? -1n)) state.sequencesToCome.set(source, sequence);
  }
}

function applyAll(
  state: LedgerState,
  frames: readonly Frame[],
  baseFee: bigint,
  rules: LedgerRules,
): AppliedTransaction[] {
  const charges = frames.map(frame => chargeFee(state, frame, baseFee, rules));
  noteSequences(state, frames);
  return frames.map((frame, index) => {
    const charge = charges[index] ?? { fee: 0n, innerFee: 0n };
    const result = applyTransaction(state, frame, charge);
    return {
      hash: frame.hash,
      innerHash: frame.inner?.hash ?? null,
      envelopeXdr: frame.envelopeXdr,
      resultXdr: resultXdr(result),
      successful: result.result.code === 0 || result.result.code === 1,
      feeCharged: charge.fee,
    };
  });
}

/** Charges and applies the set under the new header; leaves all as it was where that cannot be done. */
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

/** The given transactions in the given order: whoever replays a ledger knows what was in it. */
function given(queue: TransactionQueue, hashes: readonly string[], picked: Picked): Picked {
  const frames = hashes.map(hash => {
    const frame = queue.find(hash);
    if (!frame) throw new RangeError(`transaction ${hash} does not wait`);
    return frame;
  });
  return { frames, isFull: picked.isFull };
}

/** Closes the next ledger over what waits. */
export function closeLedger(
  state: LedgerState,
  queue: TransactionQueue,
  rules: LedgerRules,
  closeTime: bigint,
  applyOrder?: readonly string[],
): ClosedLedger {
  const ledger = state.header.sequence + 1;
  const { valid, invalid } = trimInvalid(state, queue.candidates(ledger), {
    ledger,
    earliest: closeTime,
    latest: closeTime,
  });
  queue.ban(invalid);
  const picked = pickBestPaid(valid, state.header.maxTxSetSize);
  const set = applyOrder ? given(queue, applyOrder, picked) : { ...picked, frames: orderForApply(picked.frames) };
  const transactions = applySet(state, set, { ...state.header, sequence: ledger, closeTime }, rules);
  const changes = settleChanges(state);
  settleQueue(state, queue, set.frames);
  return { header: state.header, transactions, changes, dropped: queue.takeFallen() };
}

/** What the queue does after a ledger, or several together, whoever closed them. */
export function settleQueue(state: LedgerState, queue: TransactionQueue, applied: readonly Frame[], ledgers = 1): void {
  queue.removeApplied(applied);
  for (let shifts = 0; shifts < ledgers; shifts++) queue.shift();
  const moment = nextMoment(state);
  queue.ban(trimInvalid(state, queue.candidates(moment.ledger), moment).invalid);
}
