import type { StellarNetworkName } from '../../api/crypto.ts';
import type { ErrorCode } from '../../core/error.ts';

/**
 * A chain on which payers pay. Its adapter uses no database, clock or secret of the service. Deposits are read by
 * cursor, so a restart loses no deposit. Amounts are bigint in the asset's smallest unit. Assets are wire texts (`XLM`,
 * `CODE:ISSUER`). Methods throw `unavailable` when the chain does not answer.
 */

/** Where a payer sends money for one payment. */
export interface DepositTarget {
  /** The address for wallets: on Stellar a muxed address. */
  readonly address: string;
  /** For wallets that cannot pay `address`. A payment to this address needs `memo`. */
  readonly baseAddress: string;
  readonly memo: string;
  readonly memoType: 'id' | 'text';
  /** Names this target among all targets of the network. Deposits report it. */
  readonly key: string;
}

/** A payment that arrived in a watched account. */
export interface Deposit {
  /** Unique on the chain: `<transaction hash>:<place in the transaction>`. */
  readonly railReference: string;
  readonly transactionHash: string;
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
  /** Keys of the targets that the deposit may name, the most reliable key first. */
  readonly keys: readonly string[];
  /** The memo as readable text, without characters that the database refuses. */
  readonly memo: string | null;
  readonly memoType: string | null;
  /** The payer's address, which may be muxed. Null if the chain does not know it. */
  readonly sender: string | null;
  readonly block: number;
  /** Time of the deposit by the chain's clock. */
  readonly at: Date;
}

/** Deposits, oldest first. The next page starts at `cursor`. `more`: the next page may already have deposits. */
export interface DepositPage {
  readonly deposits: readonly Deposit[];
  readonly cursor: string;
  readonly more: boolean;
}

/** A chain on which payers pay. */
export interface Chain {
  /** For example `stellar`. */
  readonly id: string;
  readonly name: string;
  /** The network as CAIP-2 id: `stellar:testnet`. */
  readonly network: string;
  /** Confirmations until a deposit is final. */
  readonly requiredConfirmations: number;
  /** Usual seconds until a deposit is final. */
  readonly etaSeconds: number;
  /** The standard of `paymentUri`, for example `sep7`. */
  readonly uriFormat: string;
  /** The wire text of the coin that every account can hold. */
  readonly nativeAsset: string;
  /** Whether the text is an address that can send or receive. */
  isAddress(text: string): boolean;
  /** Whether deposit targets can be derived from the address. */
  isBaseAddress(text: string): boolean;
  /** The account of an address, muxed or not. */
  baseAddressOf(address: string): string;
  /** The deposit target for a tag: a decimal number from 1, below 2^63. */
  newDepositTarget(account: string, tag: string): DepositTarget;
  /** A payment link, signed if its standard (SEP-7, BIP-21, EIP-681) allows this. Also shown as a QR code. */
  paymentUri(request: {
    readonly target: DepositTarget;
    readonly asset: string;
    /** Null: the payer chooses the amount. */
    readonly amount: bigint | null;
    readonly message: string;
  }): string;
  /** The assets that the account can receive now, or null if the account does not exist. */
  acceptedAssets(account: string): Promise<readonly string[] | null>;
  /** The usual network fee of a payment. */
  networkFee(): Promise<{ readonly asset: string; readonly amount: bigint }>;
  /** A cursor that precedes all later deposits. */
  latestCursor(): Promise<string>;
  /** Deposits after the cursor, oldest first. Throws if the chain's server no longer knows the cursor. */
  findDeposits(account: string, cursor: string, limit: number): Promise<DepositPage>;
  /** A public page about the transaction. Null if the network has no explorer. */
  transactionUrl(hash: string): string | null;
  /** Calls `onHint` when deposits may have arrived, until the signal aborts. */
  follow(account: string, onHint: () => void, signal: AbortSignal): void;
}

/** An account's balance of an asset. A payment with this asset probably costs `amount`, and at most `amountMax`. */
export interface WalletHolding {
  readonly asset: string;
  readonly balance: bigint;
  /** Null: the asset cannot be converted into the asset of the payment. */
  readonly amount: bigint | null;
  readonly amountMax: bigint | null;
  /** Intermediate assets of the conversion. */
  readonly path: readonly string[];
}

/** A payment by a wallet: it delivers exactly `destinationAmount` and spends `asset`. */
export interface WalletPayment {
  readonly address: string;
  readonly asset: string;
  readonly destination: string;
  readonly destinationAsset: string;
  readonly destinationAmount: bigint;
  /** The end of the transaction's validity, by the network's time. */
  readonly validUntil: Date;
}

/** A transaction for a wallet to sign. */
export interface WalletEnvelope {
  readonly envelope: string;
  readonly hash: string;
  readonly amount: bigint;
  readonly amountMax: bigint;
  readonly path: readonly string[];
}

/** The state of a submitted transaction. After `refused`, an earlier submission may still have been applied. */
export type WalletOutcome =
  | { readonly state: 'applied' }
  | { readonly state: 'failed'; readonly code: ErrorCode; readonly message: string }
  | { readonly state: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** The outcome is not known yet. No block up to the time `seenUntil` includes the transaction. */
  | { readonly state: 'open'; readonly seenUntil: Date | null };

/** Payers' wallets on a chain. The service builds the transaction, the wallet signs it, and the service submits it. */
export interface ChainWallets {
  /** Names of supported wallets, for example `freighter`. */
  readonly names: readonly string[];
  /** The network's name and passphrase in wallets, if the chain has them. */
  readonly networkName?: StellarNetworkName;
  readonly passphrase?: string;
  /** The margin of `amountMax` above `amount` when the asset is converted, in basis points. */
  readonly slippageBasisPoints: number;
  /** The account's balances, and the cost of `due` with each. */
  holdings(
    address: string,
    due: { readonly asset: string; readonly amount: bigint },
  ): Promise<{
    readonly problem: 'account_missing' | 'wrong_address' | null;
    readonly assets: readonly WalletHolding[];
  }>;
  /** Builds the transaction. Throws `invalid_address`, or `stellar_…` if the account cannot pay. */
  build(payment: WalletPayment): Promise<WalletEnvelope>;
  /**
   * Checks the signed transaction. Throws `wallet_transaction_changed`, `stellar_bad_signature` or
   * `stellar_account_missing`.
   */
  verify(made: { readonly envelope: string; readonly address: string }, signed: string): Promise<void>;
  /** Submits the transaction, which is safe to repeat. Does not throw if the network fails. */
  submit(signed: string): Promise<WalletOutcome>;
  status(hash: string): Promise<WalletOutcome>;
}

/**
 * The `destination` of a refund. It has both `memo` and `memo_type` (`text`, `id`, `hash`, `return`), or neither. On
 * Stellar the address may be muxed.
 */
export interface RefundDestination extends Readonly<Record<string, string>> {
  readonly address: string;
}

/** Checks payees on a chain on which the service sends money. */
export interface ChainPayees {
  /** Why the destination cannot receive the money now. Null if it can. Throws `unavailable`. */
  objection(money: {
    readonly destination: RefundDestination;
    readonly asset: string;
    readonly amount: bigint;
  }): Promise<{ readonly code: string; readonly message: string } | null>;
  /** Whether the destination caused the failure. The payee must then correct or replace the destination. */
  isAddressFault(code: string): boolean;
}

/** A chain on which the service receives money, in test or live mode. */
export interface CryptoRail {
  readonly chain: Chain;
  readonly livemode: boolean;
  /** The service's own account. It receives top-ups, and all payments except those in direct mode. */
  readonly account: string;
  readonly wallets: ChainWallets;
  /** Null: the service cannot send on the chain. */
  readonly payees: ChainPayees | null;
  /** Accounts that fund the service's own account. Their deposits are not payments. */
  readonly suppliers?: readonly string[];
}
