/** Fees per operation, in stroops, as ledgers charge them now. */
export interface FeeMarket {
  /** The least. */
  readonly base: bigint;
  /** What 95 of 100 transactions offer at most. */
  readonly usual: bigint;
}

/** The least that is ever offered for an operation: the protocol's own minimum. */
export const leastBid = 100n;
/** In the network’s queue a bid replaces the one before it only when it is this many times as high (`FEE_MULTIPLIER` of stellar-core). */
const replacement = 10n;

/** What to offer per operation at first: what is usual, within the cap. */
export function firstBid(market: FeeMarket, cap: bigint): bigint {
  return largest(leastBid, smallest(largest(market.base, market.usual), cap));
}

/** What to offer after `last` did not do; null when the cap is reached. */
export function nextBid(last: bigint, market: FeeMarket, cap: bigint): bigint | null {
  const bid = smallest(largest(last * replacement, market.usual), largest(cap, leastBid));
  return bid > last ? bid : null;
}

/** The fee of a whole fee bump: it counts as one operation more than what it carries (CAP-15). */
export function bumpFee(bid: bigint, operations: number): bigint {
  return bid * BigInt(operations + 1);
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smallest(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
