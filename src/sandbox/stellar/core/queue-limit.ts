import { maxAmount } from './entries.ts';
import { compareBids } from './fee-rate.ts';
import type { Frame } from './transaction-frame.ts';

/** Whether there is room; where there is none, the fee that would make some, or 0 where none would. */
export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly enoughFee: bigint };

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
