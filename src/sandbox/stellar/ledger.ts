/**
 * The heart of the sandbox network: a Stellar ledger that agrees with stellar-core to the stroop. It knows no clock,
 * no database and no HTTP; whoever owns it says when a ledger closes and keeps what changed.
 *
 * Entries are what stellar-core calls ledger entries (CAP, `Stellar-ledger-entries.x`), held in memory: their number
 * grows with accounts, trust lines and offers, never with history.
 */

/** The header of a closed ledger. Amounts in stroops. */
export interface LedgerHeader {
  readonly sequence: number;
  /** Seconds since 1970. */
  readonly closeTime: bigint;
  readonly baseFee: number;
  readonly baseReserve: number;
  /** Operations a ledger holds. */
  readonly maxTxSetSize: number;
  readonly feePool: bigint;
  readonly totalCoins: bigint;
  /** The last id given to an offer. */
  readonly idPool: bigint;
}

/** Where protocols differ; the default is the network of today. */
export interface LedgerRules {
  /** The queue holds one transaction for each source account (core 20 and later). */
  readonly oneTransactionPerSource: boolean;
  /** The lowest bid becomes the base fee only when something did not fit (core 20 and later). */
  readonly surgeOnlyWhenFull: boolean;
  /** The inner result of a fee bump says a fee of 0 (protocol 25 and later). */
  readonly feeBumpInnerFeeZero: boolean;
}

/** What the queue says of a transaction, in stellar-core’s words. */
export type SubmitStatus = 'PENDING' | 'DUPLICATE' | 'ERROR' | 'TRY_AGAIN_LATER';

/** The answer to a submission. */
export interface Submission {
  readonly status: SubmitStatus;
  /** Hex; of a fee bump the outer one. */
  readonly hash: string;
  /** The refusal as a `TransactionResult`, base64; only with `ERROR`. */
  readonly resultXdr: string | null;
}

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

/** An entry as it is kept: its `LedgerKey` and `LedgerEntry`, base64; `null` where it was deleted. */
export interface ChangedEntry {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
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
