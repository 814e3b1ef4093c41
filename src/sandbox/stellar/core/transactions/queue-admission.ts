import type { TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { maxAmount } from '../state/entries.ts';
import { divideUp } from '../trading/exchange.ts';
import type { Frame } from './transaction-frame.ts';
import { refusalOf, txCode } from './transaction-result.ts';
import { compareBids } from './transaction-set.ts';

/** Where a transaction would stand among those of its source that wait, or why it cannot. */
type Slot =
  | { readonly status: 'free'; readonly replaced: Frame | null; readonly follows: bigint | undefined }
  | { readonly status: 'DUPLICATE' | 'TRY_AGAIN_LATER' }
  | { readonly status: 'ERROR'; readonly result: TransactionResultWire };

/** A fee bump pays this many times as much per operation as what it replaces. */
const replacementFactor = 10n;

const badSequence: Slot = { status: 'ERROR', result: refusalOf(txCode.badSequence, 0n) };

/** The same envelope, or what a waiting fee bump carries already. */
const isSame = (waiting: Frame, frame: Frame): boolean =>
  waiting.fullHash === frame.fullHash || (!frame.inner && waiting.inner?.fullHash === frame.fullHash);

/** Refuses a fee bump that does not pay enough more; the fee told is the one that would do. */
function replacementFault(frame: Frame, waiting: Frame): Slot | null {
  const needed = waiting.feeBid * BigInt(Math.max(1, frame.operationCount)) * replacementFactor;
  const waitingOperations = BigInt(Math.max(1, waiting.operationCount));
  if (frame.feeBid * waitingOperations >= needed) return null;
  const enough = divideUp(needed, waitingOperations);
  return { status: 'ERROR', result: refusalOf(txCode.insufficientFee, enough > maxAmount ? maxAmount : enough) };
}

const waitsForSequence = ({ conditions: { minSeqAge, minSeqLedgerGap } }: Frame): boolean =>
  minSeqAge !== 0n || minSeqLedgerGap !== 0;

/** One transaction waits for each source (core 20 and later); a fee bump of the same sequence may replace it. */
export function singleSlot(waiting: readonly Frame[], frame: Frame): Slot {
  const [current] = waiting;
  if (!current) return { status: 'free', replaced: null, follows: undefined };
  if (isSame(current, frame)) return { status: 'DUPLICATE' };
  if (frame.sequence < current.sequence) return badSequence;
  if (!frame.inner || frame.sequence !== current.sequence) return { status: 'TRY_AGAIN_LATER' };
  return replacementFault(frame, current) ?? { status: 'free', replaced: current, follows: undefined };
}

/** Whether the sequence could be the next one, or is that of one that waits. */
function mayStand(waiting: readonly Frame[], frame: Frame): { fits: boolean; current: Frame | null } {
  const first = waiting[0]?.sequence ?? 0n;
  const last = waiting.at(-1)?.sequence ?? 0n;
  if (frame.sequence < first) return { fits: false, current: null };
  if (frame.sequence > last) {
    const { minSeqNum } = frame.conditions;
    return { fits: minSeqNum === null ? frame.sequence === last + 1n : minSeqNum <= last, current: null };
  }
  const current = waiting.find(({ sequence }) => sequence === frame.sequence) ?? null;
  return { fits: current !== null, current };
}

/** Any number of transactions wait in the order of their sequences (before core 20). */
export function lineSlot(waiting: readonly Frame[], frame: Frame): Slot {
  if (waiting.length === 0) return { status: 'free', replaced: null, follows: undefined };
  const { fits, current } = mayStand(waiting, frame);
  const last = waiting.at(-1)?.sequence;
  if (!frame.inner) {
    if (current && isSame(current, frame)) return { status: 'DUPLICATE' };
    if (waitsForSequence(frame)) return { status: 'TRY_AGAIN_LATER' };
    return { status: 'free', replaced: null, follows: last };
  }
  if (!fits) return badSequence;
  if (current && isSame(current, frame)) return { status: 'DUPLICATE' };
  const fault = current && replacementFault(frame, current);
  if (fault) return fault;
  if (current !== waiting[0] && waitsForSequence(frame)) return { status: 'TRY_AGAIN_LATER' };
  const follows = current ? waiting[waiting.indexOf(current) - 1]?.sequence : last;
  return { status: 'free', replaced: current, follows };
}

/** Whether there is room; where there is none, the fee that would make some, or 0 where none would. */
type Admission = { readonly admitted: true } | { readonly admitted: false; readonly enoughFee: bigint };

const refused = (enoughFee: bigint): Admission => ({ admitted: false, enoughFee });

/** Bounds the operations that wait; when they are too many the lowest bids go (stellar-core’s `TxQueueLimiter`). */
export class QueueLimit {
  readonly #frames = new Set<Frame>();
  #operations = 0;
  /** The best bid that was pushed out since the last ledger: lower ones are not taken in. */
  #floor: Frame | null = null;

  add(frame: Frame): void {
    this.#frames.add(frame);
    this.#operations += frame.operationCount;
  }

  remove(frame: Frame): void {
    if (this.#frames.delete(frame)) this.#operations -= frame.operationCount;
  }

  /** A new ledger has room again. */
  reset(): void {
    this.#floor = null;
  }

  /** Whether the transaction fits, perhaps in the place of cheaper ones. */
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

  /** Pushes the cheapest out until so many operations more fit. */
  evict(operations: number, capacity: number, onEvict: (frame: Frame) => void): void {
    while (this.#operations + operations > capacity && this.#frames.size > 0) {
      const [cheapest] = this.#cheapestFirst();
      if (!cheapest) return;
      this.#floor = cheapest;
      onEvict(cheapest);
    }
  }

  /** Of equal bids the one that came last is the first to go. */
  #cheapestFirst(): Frame[] {
    return [...this.#frames].reverse().sort(compareBids);
  }
}

/** What the transaction would have to bid to beat another per operation. */
function betterBid(frame: Frame, other: Frame): bigint {
  const bid = (other.feeBid * BigInt(frame.operationCount)) / BigInt(Math.max(1, other.operationCount)) + 1n;
  return bid > maxAmount ? maxAmount : bid;
}
