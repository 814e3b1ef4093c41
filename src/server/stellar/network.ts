/**
 * The contract of a Stellar network: what payments need of it, whoever serves it (Horizon, Stellar RPC) and wherever it
 * runs (sandbox, testnet, public). Amounts are bigint stroops (10^-7). Assets are wire texts: `XLM` or `CODE:ISSUER`.
 * Nothing here knows a database, a module or a secret key. An answer that cannot be had throws `StellarUnavailable`;
 * only `submit` never throws for the network’s sake: what it does not know it calls `unknown`.
 */

/** The network could not be asked, or answered what cannot be understood; asking again later is right. */
export class StellarUnavailable extends Error {
  readonly retryAfterSeconds: number | null;
  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StellarUnavailable';
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/**
 * Result codes in Horizon’s spelling (`tx_failed`, `op_no_trust`). `operations` is empty when none was tried. Of a fee
 * bump whose inner transaction was tried, the inner codes.
 */
export interface ResultCodes {
  readonly transaction: string;
  readonly operations: readonly string[];
}

/** What a transaction came to in a ledger. */
export interface LedgerOutcome {
  readonly hash: string;
  readonly ledger: number;
  readonly successful: boolean;
  readonly codes: ResultCodes;
  readonly feeCharged: bigint;
  /** `TransactionResult`, base64. */
  readonly resultXdr: string;
}

/** The answer to handing in an envelope. */
export type SubmitOutcome =
  /** It is in a ledger; nothing can change that. */
  | ({ readonly state: 'applied' } & LedgerOutcome)
  /** It waits in the network’s queue. */
  | { readonly state: 'pending'; readonly hash: string }
  /** The network will not take it as it is; it is in no ledger, yet an earlier sending of the same envelope may be. */
  | { readonly state: 'refused'; readonly hash: string; readonly codes: ResultCodes }
  /** Nobody knows (time-out, broken connection, 5xx, 429, try again later): send the same envelope again, never another. */
  | {
      readonly state: 'unknown';
      readonly hash: string;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
    };

/** A closed ledger that the server behind the port has taken in. */
export interface IngestedLedger {
  readonly sequence: number;
  readonly closedAt: Date;
}

/**
 * Where a transaction stands. With `not_found` comes the newest ledger the same server has taken in, read before the
 * question was asked, and the oldest it still keeps: “not found” is final only when `ingested` is past the
 * transaction’s bound (by a margin where many servers stand behind one address) and `oldest` is not past the ledger in
 * which it was first handed in.
 */
export type TransactionStatus =
  | ({ readonly state: 'applied' } & LedgerOutcome)
  | { readonly state: 'not_found'; readonly ingested: IngestedLedger; readonly oldest: number };

/** Hands in envelopes and follows them. */
export interface StellarSubmission {
  readonly passphrase: string;
  submit(envelopeXdr: string): Promise<SubmitOutcome>;
  status(hash: string): Promise<TransactionStatus>;
  latestLedger(): Promise<IngestedLedger>;
  /** Fee per operation (stroops) that ledgers charge now: the least, and what 95 of 100 transactions offered at most. */
  fees(): Promise<{ readonly base: bigint; readonly usual: bigint }>;
}

/** A transaction’s memo as the network shows it: hash and return memos as hex, ids as decimal text. */
export interface TransactionMemo {
  readonly type: 'text' | 'id' | 'hash' | 'return';
  readonly value: string;
}

/** Money that reached an account, one operation of a successful transaction. */
export interface IncomingPayment {
  /** Place in the account’s history; `payments` goes on after it. */
  readonly cursor: string;
  readonly transactionHash: string;
  /** Which operation of the transaction, counted from 0; of a contract call, which of its transfers to the account. */
  readonly operationIndex: number;
  readonly ledger: number;
  /** Stellar RPC cannot tell them apart: there it is `payment` or `claimed_balance`. */
  readonly kind: 'payment' | 'path_payment' | 'create_account' | 'account_merge' | 'claimed_balance' | 'contract';
  /** The account that paid (G…), the contract that did (C…), or of a claimed balance whose maker is not known its id. */
  readonly from: string;
  /** The id in the muxed address that paid, decimal text, or null. What goes back to the sender goes to that address. */
  readonly fromMuxedId: string | null;
  readonly to: string;
  /**
   * The id in the muxed address that was paid, decimal text, or null. Stellar RPC shows an id memo here, too, where the
   * address had no id of its own (CAP-67): whoever matches takes the one as the other.
   */
  readonly toMuxedId: string | null;
  /** The payer’s: of a claimed balance, that with which it was put aside. */
  readonly memo: TransactionMemo | null;
  readonly asset: string;
  /** What arrived, whatever was sent. */
  readonly amount: bigint;
  readonly createdAt: Date;
}

/** A claimable balance that waits for an account. */
export interface ClaimableBalance {
  readonly id: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly sponsor: string | null;
}

/** A page of an account’s incoming money, oldest first. `cursor` stands after everything looked at, money or not. */
export interface IncomingPage {
  readonly payments: readonly IncomingPayment[];
  readonly cursor: string;
  /** The page was full: ask again at once. */
  readonly more: boolean;
}

/** What an issuer took back from an account (CAP-35). */
export interface Clawback {
  /** Unique on the network for ever. */
  readonly reference: string;
  readonly transactionHash: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly createdAt: Date;
}

/** Reads what reaches an account. */
export interface StellarHistory {
  /**
   * `cursor` null starts at the account’s beginning, or where the server’s memory begins. A cursor the server no longer
   * keeps throws `StellarUnavailable`. `limit` is what is wished: a page may be shorter, and of Stellar RPC longer.
   */
  incoming(account: string, cursor: string | null, limit: number): Promise<IncomingPage>;
  /**
   * Calls back whenever something may have reached the account, until the signal aborts. Only a hint to look: what
   * counts is `incoming`. A stream that falls silent or breaks is opened again.
   */
  follow(account: string, onHint: () => void, signal: AbortSignal): void;
}

/** Reads what issuers take back. */
export interface StellarClawbacks {
  /** What issuers took back from the account after the cursor, oldest first; null begins now, with nothing. */
  clawbacks(
    account: string,
    cursor: string | null,
  ): Promise<{ readonly clawbacks: readonly Clawback[]; readonly cursor: string; readonly more: boolean }>;
}

/** What an account holds of an asset. */
export interface StellarBalance {
  readonly asset: string;
  readonly balance: bigint;
  /** What may still arrive; null for XLM. */
  readonly room: bigint | null;
  /** What may leave: balance less liabilities, and for XLM less the reserve. */
  readonly spendable: bigint;
  readonly authorized: boolean;
}

/** An account of the ledger. */
export interface StellarAccount {
  readonly address: string;
  readonly sequence: bigint;
  readonly balances: readonly StellarBalance[];
  /** SEP-29: payments without a memo are refused by careful wallets. */
  readonly memoRequired: boolean;
  readonly signers: readonly { readonly key: string; readonly weight: number }[];
  readonly thresholds: { readonly low: number; readonly medium: number; readonly high: number };
}

/** A way to turn one asset into another. */
export interface PaymentPath {
  readonly sourceAsset: string;
  readonly sourceAmount: bigint;
  readonly destinationAsset: string;
  readonly destinationAmount: bigint;
  /** Assets between the two. */
  readonly path: readonly string[];
}

/** Reads accounts and prices. */
export interface StellarMarket {
  /** Null: there is no such account. */
  account(address: string): Promise<StellarAccount | null>;
  /** Ways to deliver exactly `amount` of `asset` from what `source` holds, or from the assets listed; cheapest first for each source asset. */
  strictReceivePaths(request: {
    readonly source: { readonly account: string } | { readonly assets: readonly string[] };
    readonly asset: string;
    readonly amount: bigint;
  }): Promise<readonly PaymentPath[]>;
  /** Ways to turn exactly `amount` of `asset` into one of the assets listed; the most first. */
  strictSendPaths(request: {
    readonly asset: string;
    readonly amount: bigint;
    readonly destinationAssets: readonly string[];
  }): Promise<readonly PaymentPath[]>;
  /** What the account could claim now. */
  claimableBalances(claimant: string): Promise<readonly ClaimableBalance[]>;
}

/** All of it: what the service is composed with. */
export type StellarNetwork = StellarSubmission & StellarHistory & StellarClawbacks & StellarMarket;
