import type { TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { divideUp } from '../../../../core/money.ts';
import { maxAmount } from '../state/entries.ts';
import { type Frame, refusalOf, txCode } from './transaction.ts';
import { compareBids } from './transaction-set.ts';

/** The place of a transaction among the queued transactions of its source account, or the refusal. */
type Slot =
  | { readonly status: 'free'; readonly replaced: Frame | null; readonly follows: bigint | undefined }
  | { readonly status: 'DUPLICATE' | 'TRY_AGAIN_LATER' }
  | { readonly status: 'ERROR'; readonly result: TransactionResultWire };

/** A fee bump replaces a queued transaction if its bid per operation is at least this multiple of the queued bid. */
const replacementFactor = 10n;

const badSequence: Slot = { status: 'ERROR', result: refusalOf(txCode.badSequence, 0n) };

/** Whether the transaction is queued already: the same envelope, or the inner transaction of a queued fee bump. */
const isSame = (queued: Frame, frame: Frame): boolean =>
  queued.fullHash === frame.fullHash || (!frame.inner && queued.inner?.fullHash === frame.fullHash);

/** Refuses a replacing fee bump whose bid is too low. The result contains the fee that would suffice. */
function replacementFault(frame: Frame, queued: Frame): Slot | null {
  const needed = queued.feeBid * BigInt(Math.max(1, frame.operationCount)) * replacementFactor;
  const queuedOperations = BigInt(Math.max(1, queued.operationCount));
  if (frame.feeBid * queuedOperations >= needed) return null;
  const enough = divideUp(needed, queuedOperations);
  return { status: 'ERROR', result: refusalOf(txCode.insufficientFee, enough > maxAmount ? maxAmount : enough) };
}

const waitsForSequence = ({ conditions: { minSeqAge, minSeqLedgerGap } }: Frame): boolean =>
  minSeqAge !== 0n || minSeqLedgerGap !== 0;

/**
 * The slot in stellar-core 20 and later: one queued transaction per source account. A fee bump may replace the queued
 * transaction.
 */
export function singleSlot(queued: readonly Frame[], frame: Frame): Slot {
  const [current] = queued;
  if (!current) return { status: 'free', replaced: null, follows: undefined };
  if (isSame(current, frame)) return { status: 'DUPLICATE' };
  if (frame.sequence < current.sequence) return badSequence;
  if (!frame.inner || frame.sequence !== current.sequence) return { status: 'TRY_AGAIN_LATER' };
  return replacementFault(frame, current) ?? { status: 'free', replaced: current, follows: undefined };
}

/**
 * Whether the sequence may follow the last queued sequence, or equals a queued sequence. `current`: the queued
 * transaction with the same sequence.
 */
function fitsSequence(queued: readonly Frame[], frame: Frame): { fits: boolean; current: Frame | null } {
  const first = queued[0]?.sequence ?? 0n;
  const last = queued.at(-1)?.sequence ?? 0n;
  if (frame.sequence < first) return { fits: false, current: null };
  if (frame.sequence > last) {
    const { minSeqNum } = frame.conditions;
    return { fits: minSeqNum === null ? frame.sequence === last + 1n : minSeqNum <= last, current: null };
  }
  const current = queued.find(({ sequence }) => sequence === frame.sequence) ?? null;
  return { fits: current !== null, current };
}

/** The slot before stellar-core 20: a source account may have many queued transactions, ordered by sequence. */
export function multipleSlot(queued: readonly Frame[], frame: Frame): Slot {
  if (queued.length === 0) return { status: 'free', replaced: null, follows: undefined };
  const { fits, current } = fitsSequence(queued, frame);
  const last = queued.at(-1)?.sequence;
  if (!frame.inner) {
    if (current && isSame(current, frame)) return { status: 'DUPLICATE' };
    if (waitsForSequence(frame)) return { status: 'TRY_AGAIN_LATER' };
    return { status: 'free', replaced: null, follows: last };
  }
  if (!fits) return badSequence;
  if (current && isSame(current, frame)) return { status: 'DUPLICATE' };
  const fault = current && replacementFault(frame, current);
  if (fault) return fault;
  if (current !== queued[0] && waitsForSequence(frame)) return { status: 'TRY_AGAIN_LATER' };
  const follows = current ? queued[queued.indexOf(current) - 1]?.sequence : last;
  return { status: 'free', replaced: current, follows };
}

/**
 * Whether the queue admits a transaction. If not, `enoughFee` is the lowest sufficient bid, or 0 if no bid suffices.
 */
type Admission = { readonly admitted: true } | { readonly admitted: false; readonly enoughFee: bigint };

const refused = (enoughFee: bigint): Admission => ({ admitted: false, enoughFee });

/** Limits the number of queued operations. The lowest bids are evicted first (stellar-core’s `TxQueueLimiter`). */
export class QueueLimit {
  readonly #frames = new Set<Frame>();
  #operations = 0;
  /** The highest bid that was evicted since the last ledger. A new bid must be higher. */
  #floor: Frame | null = null;

  add(frame: Frame): void {
    this.#frames.add(frame);
    this.#operations += frame.operationCount;
  }

  remove(frame: Frame): void {
    if (this.#frames.delete(frame)) this.#operations -= frame.operationCount;
  }

  /** Forgets the evicted bids. The queue calls this method after each ledger. */
  reset(): void {
    this.#floor = null;
  }

  /** Whether the transaction fits, possibly after the eviction of lower bids. */
  admit(frame: Frame, replaced: Frame | null, capacity: number): Admission {
    if (this.#floor && compareBids(frame, this.#floor) <= 0) return refused(betterBid(frame, this.#floor));
    let excess = this.#operations - (replaced?.operationCount ?? 0) + frame.operationCount - capacity;
    if (excess <= 0) return { admitted: true };
    for (const cheapest of this.#cheapestFirst()) {
      if (compareBids(cheapest, frame) >= 0) return refused(betterBid(frame, cheapest));
      if (cheapest.source === frame.source) return refused(0n);
      excess -= cheapest.operationCount;
      if (excess <= 0) return { admitted: true };
    }
    return refused(0n);
  }

  /** Evicts the lowest bids until the operations fit. */
  evict(operations: number, capacity: number, onEvict: (frame: Frame) => void): void {
    while (this.#operations + operations > capacity && this.#frames.size > 0) {
      const [cheapest] = this.#cheapestFirst();
      if (!cheapest) return;
      this.#floor = cheapest;
      onEvict(cheapest);
    }
  }

  /** All queued transactions, lowest bid first. Of equal bids the newest is first. */
  #cheapestFirst(): Frame[] {
    return [...this.#frames].reverse().sort(compareBids);
  }
}

/** The lowest total bid of `frame` whose bid per operation is higher than that of `other`. */
function betterBid(frame: Frame, other: Frame): bigint {
  const bid = (other.feeBid * BigInt(frame.operationCount)) / BigInt(Math.max(1, other.operationCount)) + 1n;
  return bid > maxAmount ? maxAmount : bid;
}
