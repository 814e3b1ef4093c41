import { addSeconds } from '../../../core/clock.ts';
import { least } from '../../../core/money.ts';
import type { Carrier } from '../../outbound/carrier.ts';
import type { FeeMarket, IngestedLedger, LedgerOutcome, TransactionStatus } from '../network.ts';

/** What a carrier of the treasury knows besides its bytes: the transaction inside its fee bumps. */
export type EnvelopeDetail = {
  readonly channel: string;
  /** A decimal number. */
  readonly sequence: string;
  readonly inner_hash: string;
  readonly inner_xdr: string;
  readonly operations: number;
};

export function detailOf({ detail }: Pick<Carrier, 'detail'>): EnvelopeDetail {
  return detail as EnvelopeDetail;
}

/** The ledgers that can include a carrier of the treasury. */
export function validityOf({ expires_block: block, expires_at: time }: Pick<Carrier, 'expires_block' | 'expires_at'>) {
  return { maxLedger: Number(block), maxTime: time ?? new Date(0) };
}

/** The ledgers that can include a transaction: those before `maxLedger` that close at `maxTime` or earlier. */
export interface Validity {
  readonly maxLedger: number;
  readonly maxTime: Date;
}

/** Number of ledgers for which a transaction is valid. Meanwhile, no other transaction may send the same transfers. */
export const validLedgers = 24;
export const validSeconds = 240;

/** A validity counts as over only after this margin. Servers behind one URL may be a few ledgers apart. */
const margin = { ledgers: 2, seconds: 15 };

/**
 * The validity of a transaction built now. It is based on the network's time, so this machine's clock does not matter.
 */
export function validityFrom(ledger: IngestedLedger): Validity {
  return { maxLedger: ledger.sequence + validLedgers, maxTime: addSeconds(ledger.closedAt, validSeconds) };
}

export function boundsOf({ maxLedger, maxTime }: Validity) {
  const timeBounds = { min: 0, max: Math.floor(maxTime.getTime() / 1000) };
  return { timeBounds, ledgerBounds: { min: 0, max: maxLedger } };
}

/** Whether no ledger after `ledger` can include the transaction any more. */
export function isPast({ maxLedger, maxTime }: Validity, ledger: IngestedLedger): boolean {
  return ledger.sequence >= maxLedger + margin.ledgers || ledger.closedAt > addSeconds(maxTime, margin.seconds);
}

/**
 * What happened to a transaction. `ended`: a ledger includes it. `expired`: no ledger can include it, as the ledger
 * `proof` shows. `open`: neither is certain.
 */
export type Verdict =
  | { readonly state: 'ended'; readonly outcome: LedgerOutcome }
  | { readonly state: 'expired'; readonly proof: IngestedLedger }
  | { readonly state: 'open' };

/**
 * Judges a transaction by a server's answers for all its hashes (its own and those of its fee bumps). The transaction
 * has expired if the server knows none of the hashes, although its history covers all ledgers of the validity. Only
 * then may its transfers be sent again.
 */
export function judgeEnvelope(validity: Validity, answers: readonly TransactionStatus[]): Verdict {
  let proof: IngestedLedger | null = null;
  for (const answer of answers) {
    if (answer.state === 'applied') return { state: 'ended', outcome: answer };
  }
  for (const answer of answers) {
    const isOpen =
      answer.state === 'applied' || !isPast(validity, answer.ingested) || answer.oldest > builtAt(validity);
    if (isOpen) return { state: 'open' };
    if (proof === null || answer.ingested.sequence < proof.sequence) proof = answer.ingested;
  }
  return proof === null ? { state: 'open' } : { state: 'expired', proof };
}

/** The ledger in which a transaction was built. */
export function builtAt({ maxLedger }: Pick<Validity, 'maxLedger'>): number {
  return maxLedger - validLedgers;
}

/** The lowest fee per operation that the protocol allows, in stroops. */
export const leastBid = 100n;
/**
 * A bid replaces an earlier bid in the queue only if it is this many times as high (`FEE_MULTIPLIER` of stellar-core).
 */
const replacement = 10n;

/** The first bid per operation: the usual fee, but at most the cap. */
export function firstBid(market: FeeMarket, cap: bigint): bigint {
  return largest(leastBid, least(largest(market.base, market.usual), cap));
}

/** The bid after `last`. Null if `last` reached the cap. */
export function nextBid(last: bigint, market: FeeMarket, cap: bigint): bigint | null {
  const bid = least(largest(last * replacement, market.usual), largest(cap, leastBid));
  return bid > last ? bid : null;
}

/** The fee of a fee bump, which counts as one additional operation (CAP-15). */
export function bumpFee(bid: bigint, operations: number): bigint {
  return bid * BigInt(operations + 1);
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
