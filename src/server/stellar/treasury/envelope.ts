import { defineMachine } from '../../../core/machine.ts';
import type { IngestedLedger, LedgerOutcome, TransactionStatus } from '../network.ts';

/** Where a transaction of ours stands. */
export type EnvelopeState = 'built' | 'submitted' | 'applied' | 'failed' | 'expired';

/** The life of a transaction: signed and kept, handed in (again and again, always the same), and in a ledger or in none for ever. */
export const envelopeMachine = defineMachine<EnvelopeState>({
  built: ['submitted', 'applied', 'failed', 'expired'],
  submitted: ['applied', 'failed', 'expired'],
  applied: [],
  failed: [],
  expired: [],
});

/** Until when a transaction can enter a ledger: one before `maxLedger` that closes at `maxTime` at the latest. */
export interface Validity {
  readonly maxLedger: number;
  readonly maxTime: Date;
}

/** How long a transaction may wait for a ledger. Generous: while it may still apply, nothing else may take its place. */
export const validLedgers = 24;
export const validSeconds = 240;

/**
 * A server behind which several stand may say what one of them has taken in and answer from another that is a little
 * behind. So a bound counts as passed only when it lies this far back.
 */
const margin = { ledgers: 2, seconds: 15 };

/** How long a transaction built at this ledger may wait. By the network’s own time, so that no clock of ours matters. */
export function validityFrom(ledger: IngestedLedger): Validity {
  return {
    maxLedger: ledger.sequence + validLedgers,
    maxTime: new Date(ledger.closedAt.getTime() + validSeconds * 1000),
  };
}

/** Whether no ledger after this one can hold the transaction. */
export function isPast(validity: Validity, ledger: IngestedLedger): boolean {
  const byLedger = ledger.sequence >= validity.maxLedger + margin.ledgers;
  const byTime = ledger.closedAt.getTime() > validity.maxTime.getTime() + margin.seconds * 1000;
  return byLedger || byTime;
}

/** What is known of a transaction: it is in a ledger; it can be in none for ever; or neither is certain. */
export type Verdict =
  | { readonly state: 'ended'; readonly outcome: LedgerOutcome }
  | { readonly state: 'expired'; readonly proof: IngestedLedger }
  | { readonly state: 'open' };

/**
 * Judges a transaction by what one server says of each of its hashes (its own and those of its fee bumps). Only this
 * frees what it carries to be sent anew: the bound lies in a closed ledger that the same server had taken in before it
 * was asked, the server knows none of the hashes, and its history reaches back to when the transaction was built.
 */
export function judgeEnvelope(validity: Validity, answers: readonly TransactionStatus[]): Verdict {
  let proof: IngestedLedger | null = null;
  for (const answer of answers) {
    if (answer.state === 'applied') return { state: 'ended', outcome: answer };
  }
  for (const answer of answers) {
    if (answer.state === 'applied' || !isFinal(validity, answer)) return { state: 'open' };
    if (proof === null || answer.ingested.sequence < proof.sequence) proof = answer.ingested;
  }
  return proof === null ? { state: 'open' } : { state: 'expired', proof };
}

function isFinal(validity: Validity, answer: Extract<TransactionStatus, { state: 'not_found' }>): boolean {
  return isPast(validity, answer.ingested) && answer.oldest <= builtAt(validity);
}

/** The ledger at which a transaction was built. */
export function builtAt(validity: Pick<Validity, 'maxLedger'>): number {
  return validity.maxLedger - validLedgers;
}

/** What a refusal asks for. None of them ends a transaction: an earlier handing in may have been taken. */
export type AfterRefusal = 'bid_more' | 'wait';

/** What to do after the network refused a transaction with this code. */
export function afterRefusal(code: string): AfterRefusal {
  return code === 'tx_insufficient_fee' ? 'bid_more' : 'wait';
}

const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** How long to wait before asking again after nobody knew what became of it, in milliseconds. `random` is in [0, 1). */
export function pauseAfter(attempt: number, retryAfterSeconds: number | null, random: number): number {
  const grown = Math.min(firstPauseMs * 2 ** Math.min(attempt - 1, 10), longestPauseMs);
  const asked = retryAfterSeconds === null ? 0 : Math.min(retryAfterSeconds * 1000, 60_000);
  return Math.max(asked, Math.floor(grown * (0.75 + random / 2)));
}

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
