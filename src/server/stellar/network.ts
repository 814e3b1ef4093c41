import { NetworkUnavailable } from '../outbound/sender.ts';

/**
 * The interface of a Stellar network, for every kind of server (Horizon, Stellar RPC) and network (sandbox, testnet,
 * public). Amounts are bigint stroops (10^-7). Assets are wire texts: `XLM` or `CODE:ISSUER`. Methods throw
 * `StellarUnavailable`; only `submit` returns `unknown` instead.
 */

/** No Stellar server answered, or its answer cannot be read. */
export class StellarUnavailable extends NetworkUnavailable {
  readonly network = 'Stellar';
}

/**
 * Result codes in Horizon's spelling (`tx_failed`, `op_no_trust`). `operations` is empty if no operation was tried. For
 * a fee bump whose inner transaction was tried, the codes are those of the inner transaction.
 */
export interface ResultCodes {
  readonly transaction: string;
  readonly operations: readonly string[];
}

/** A transaction in a ledger. `feeCharged` is in stroops, `resultXdr` is a base64 `TransactionResult`. */
export interface LedgerOutcome {
  readonly hash: string;
  readonly ledger: number;
  readonly successful: boolean;
  readonly codes: ResultCodes;
  readonly feeCharged: bigint;
  readonly resultXdr: string;
}

export type SubmitOutcome =
  /** The transaction is in a ledger. */
  | ({ readonly state: 'applied' } & LedgerOutcome)
  /** The transaction waits in the network's queue. */
  | { readonly state: 'pending'; readonly hash: string }
  /** The network refused the transaction. An earlier submission of the same envelope may still have been applied. */
  | { readonly state: 'refused'; readonly hash: string; readonly codes: ResultCodes }
  /** Timeout, lost connection, 5xx or 429. Only the same envelope may be submitted again. `reason` is one word. */
  | {
      readonly state: 'unknown';
      readonly hash: string;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
    };

/** A closed ledger that a server knows. */
export interface IngestedLedger {
  readonly sequence: number;
  readonly closedAt: Date;
}

/**
 * The state of a transaction. `ingested` is the server's newest ledger, read before the look-up of the transaction.
 * `oldest` is the oldest ledger that the server keeps. `not_found` is final if `ingested` is past the transaction's
 * validity, and `oldest` is not after its first submission.
 */
export type TransactionStatus =
  | ({ readonly state: 'applied' } & LedgerOutcome)
  | { readonly state: 'not_found'; readonly ingested: IngestedLedger; readonly oldest: number };

/**
 * Current fees per operation, in stroops. `base`: the lowest fee. `usual`: the 95th percentile of recent bids (Horizon)
 * or of recently charged fees (Stellar RPC).
 */
export interface FeeMarket {
  readonly base: bigint;
  readonly usual: bigint;
}

export interface StellarSubmission {
  readonly passphrase: string;
  submit(envelopeXdr: string): Promise<SubmitOutcome>;
  status(hash: string): Promise<TransactionStatus>;
  latestLedger(): Promise<IngestedLedger>;
  fees(): Promise<FeeMarket>;
}

/** A memo of a transaction. Hash and return memos are hex, ids decimal text. */
export interface TransactionMemo {
  readonly type: 'text' | 'id' | 'hash' | 'return';
  readonly value: string;
}

/** A payment that reached an account by one operation of a successful transaction. */
export interface IncomingPayment {
  readonly cursor: string;
  readonly transactionHash: string;
  /** The operation's index, from 0. For a contract call, the index of the transfer to the account. */
  readonly operationIndex: number;
  readonly ledger: number;
  /** The payer's account (G…) or contract (C…). For a claimed balance with an unknown creator, the balance's id. */
  readonly from: string;
  /** The id in the payer's muxed address, as decimal text. Refunds go to the muxed address. */
  readonly fromMuxedId: string | null;
  readonly to: string;
  /** The id in the payee's muxed address, as decimal text. With Stellar RPC, an id memo is also here (CAP-67). */
  readonly toMuxedId: string | null;
  /** The payer's memo. For a claimed balance, the memo of the transaction that created it. */
  readonly memo: TransactionMemo | null;
  readonly asset: string;
  readonly amount: bigint;
  readonly createdAt: Date;
}

/** A balance that an account may claim (CAP-23). */
export interface ClaimableBalance {
  readonly id: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** Claimable balances, oldest first. `next`: the cursor of the next page, or null if this page is the last. */
export interface ClaimablePage {
  readonly balances: readonly ClaimableBalance[];
  readonly next: string | null;
}

/**
 * Incoming payments, oldest first. `cursor` is after the last operation that was read. `more`: another page may follow.
 */
export interface IncomingPage {
  readonly payments: readonly IncomingPayment[];
  readonly cursor: string;
  readonly more: boolean;
}

/** A clawback: an issuer took back some of its asset from an account (CAP-35). `reference` is unique on the network. */
export interface Clawback {
  readonly reference: string;
  readonly transactionHash: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly createdAt: Date;
}

export interface StellarHistory {
  /**
   * Reads the payments after the cursor; null starts at the beginning of the history. Throws `StellarUnavailable` when
   * the cursor is older than the server's history. A page may be shorter than `limit`, and with Stellar RPC longer.
   */
  incoming(account: string, cursor: string | null, limit: number): Promise<IncomingPage>;
  /** Calls `onHint` when payments may have arrived, until the signal aborts. A hint can be missing or wrong. */
  follow(account: string, onHint: () => void, signal: AbortSignal): void;
}

export interface StellarClawbacks {
  /** Reads clawbacks from the account after the cursor, oldest first. A null cursor returns only the current cursor. */
  clawbacks(
    account: string,
    cursor: string | null,
  ): Promise<{ readonly clawbacks: readonly Clawback[]; readonly cursor: string; readonly more: boolean }>;
}

export interface StellarBalance {
  readonly asset: string;
  readonly balance: bigint;
  /** The amount that the trustline can still receive. Null for XLM. */
  readonly room: bigint | null;
  /** The balance minus selling liabilities. For XLM, also minus the reserve. */
  readonly spendable: bigint;
  readonly authorized: boolean;
}

export interface StellarAccount {
  readonly address: string;
  readonly sequence: bigint;
  readonly balances: readonly StellarBalance[];
  /** Whether payments need a memo (SEP-29). */
  readonly memoRequired: boolean;
  readonly signers: readonly { readonly key: string; readonly weight: number }[];
  /** The total weight of signatures that a payment needs. */
  readonly mediumThreshold: number;
}

/** A conversion of one asset into another. `path`: the intermediate assets. */
export interface PaymentPath {
  readonly sourceAsset: string;
  readonly sourceAmount: bigint;
  readonly destinationAsset: string;
  readonly destinationAmount: bigint;
  readonly path: readonly string[];
}

export interface StellarMarket {
  /** Returns null if the account does not exist. */
  account(address: string): Promise<StellarAccount | null>;
  /** Conversions of the listed assets into exactly `amount` of `asset`, the cheapest first for each listed asset. */
  strictReceivePaths(request: {
    readonly sourceAssets: readonly string[];
    readonly asset: string;
    readonly amount: bigint;
  }): Promise<readonly PaymentPath[]>;
  /** Conversions of exactly `amount` of `asset` into the listed assets, largest result first. */
  strictSendPaths(request: {
    readonly asset: string;
    readonly amount: bigint;
    readonly destinationAssets: readonly string[];
  }): Promise<readonly PaymentPath[]>;
  /** A page of the balances that the account could claim now. A null cursor starts with the oldest balance. */
  claimableBalances(claimant: string, cursor: string | null): Promise<ClaimablePage>;
}

export type StellarNetwork = StellarSubmission & StellarHistory & StellarClawbacks & StellarMarket;
