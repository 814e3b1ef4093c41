import type { RefundOutcome, RefundRequest } from '../rails/rail.ts';

/**
 * The contract of every chain on which payers pay. An adapter has no database of the service, no clock and no secret
 * of its own; it is pulled with a cursor, so that a restart loses nothing. Amounts are bigint in the asset’s smallest
 * unit; assets are wire texts (`XLM`, `CODE:ISSUER`).
 */

/** An account of the service or, in direct mode, of the merchant, that is watched for money. */
export interface WatchedAccount {
  readonly address: string;
}

/** Where a payer is to send money so that it is known to be for one payment. */
export interface DepositTarget {
  /** What wallets pay: on Stellar the muxed address. */
  readonly address: string;
  /** For wallets that cannot pay `address`: this one, together with `memo`. */
  readonly baseAddress: string;
  readonly memo: string;
  readonly memoType: 'id' | 'text' | 'none';
}

/** Money that arrived in a watched account. */
export interface Deposit {
  /** Unique on the chain for ever: `<transaction hash>:<operation>`. */
  readonly railReference: string;
  readonly transactionHash: string;
  readonly operationIndex: number;
  /** The account it arrived in. */
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The tag of a deposit target it names (muxed id, memo), or null. */
  readonly tag: string | null;
  /** The memo as it was written, for people. */
  readonly memo: string | null;
  readonly sender: string | null;
  readonly block: number;
  readonly confirmations: number;
  readonly at: Date;
}

/** Payers’ money coming in by one chain. */
export interface Chain {
  /** `stellar` … */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** Confirmations until a deposit counts; Stellar’s ledgers are final, so 1. */
  readonly requiredConfirmations: number;
  /** Usual seconds from sending to counting. */
  readonly etaSeconds: number;
  /** Decimals of an asset’s amounts. */
  decimals(asset: string): number;
  /** Whether the text is an address to which, or from which, money can go. */
  isAddress(text: string): boolean;
  /** The target with the tag (a decimal number below 2^63) in the account. */
  newDepositTarget(account: string, tag: string): DepositTarget;
  /** A link and QR content that opens a wallet with everything filled in (SEP-7, BIP-21, EIP-681), signed where the standard knows it. */
  paymentUri(request: {
    readonly target: DepositTarget;
    readonly asset: string;
    readonly amount: bigint;
    readonly message: string;
  }): string;
  /** Deposits after the cursor, oldest first; null starts at the beginning of the account. */
  findDeposits(
    account: string,
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly deposits: readonly Deposit[]; readonly cursor: string; readonly more: boolean }>;
  /** Calls back whenever it is worth looking for deposits; until the signal aborts. */
  follow(account: string, onHint: () => void, signal: AbortSignal): void;
}

/**
 * Where money goes back to, as the `destination` of a refund: `memo` and `memo_type` (`text`, `id`, `hash`, `return`)
 * only together. On Stellar the address may be muxed.
 */
export interface RefundDestination extends Readonly<Record<string, string>> {
  readonly address: string;
}

/** A refund on a chain: `currency` is the asset, `railReference` the deposit’s. It is asked for only once an address is known. */
export interface CryptoRefundRequest extends RefundRequest {
  readonly destination: RefundDestination;
}

/**
 * Sends payers’ money back on a chain, as a rail does (`rails/rail.ts`): the same refund is sent once, however often it
 * is asked for.
 */
export interface CryptoRefunds {
  /** The chain’s id: that of `Chain`. */
  readonly id: string;
  refund(request: CryptoRefundRequest): Promise<RefundOutcome>;
  /** Where the refund stands, or null when it was never asked for. */
  refundStatus(refundId: string, now: Date): Promise<RefundOutcome | null>;
}
