import type { StellarNetworkName } from '../../api/crypto.ts';
import type { ErrorCode } from '../../core/error.ts';

/**
 * A chain on which payers pay. Its adapter uses no database, clock or secret of the service. Amounts are bigint in the
 * asset's smallest unit. Assets are wire texts (`XLM`, `CODE:ISSUER`). Methods throw `unavailable` when the chain does
 * not answer.
 */

/** Where a payer sends money for one payment or top-up. */
export interface Target {
  /** The address for wallets: on Stellar a muxed address, on a chain of derived addresses the derived one. */
  readonly address: string;
  /** For wallets that cannot pay `address`. A payment to this address needs `memo`, if there is one. */
  readonly baseAddress: string;
  /** Null on chains where the address or the link alone names the target. */
  readonly memo: string | null;
  readonly memoType: 'id' | 'text' | 'destination_tag' | null;
  /** Names this target among all targets of the network: `Seen.keys` contains it. */
  readonly key: string;
}

/** A block of a chain. `hash` is null on chains that never replace a block. */
export interface Block {
  readonly height: number;
  readonly hash: string | null;
}

/** The newest block of a chain, and the height up to which blocks are final by the chain's own tag. */
export interface Head {
  readonly height: number;
  /** Null: the chain has no such tag. */
  readonly finalized: number | null;
}

/** A movement of money to a target or a watched account. */
export interface Seen {
  /** Unique among the deposits to `account`: `<transaction hash>:<place in the transaction>`. */
  readonly ref: string;
  readonly transactionHash: string;
  /** The account or address that received the money. */
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
  /** Keys of the targets that the money may name, the most reliable key first. */
  readonly keys: readonly string[];
  /** The memo as readable text, without characters that the database refuses. */
  readonly memo: string | null;
  readonly memoType: string | null;
  /** The payer's address, which may be muxed. Null if the chain does not know it. */
  readonly sender: string | null;
  /** Null: no block contains the transaction yet. */
  readonly block: Block | null;
  /** Time of the block or sighting by the chain's clock. Null: the chain does not know it. */
  readonly at: Date | null;
}

/** A deposit that an earlier scan saw, and that is not final yet. */
export type OpenDeposit = Pick<Seen, 'ref' | 'keys' | 'block'>;

/** One step of reading a chain. */
export interface ScanRequest {
  /** The account that is read. A chain read by blocks has one scan for all its targets, under the service's account. */
  readonly account: string;
  readonly cursor: string;
  /** The maximum number of deposits. */
  readonly limit: number;
  /** The scan reports those of them that moved to another block, or lost theirs, or can no longer arrive. */
  readonly open: readonly OpenDeposit[];
  /** The keys, of the given ones, that belong to targets. */
  isWatched(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What a scan found. The next scan starts at `cursor`. */
export interface Scan {
  readonly cursor: string;
  /** At least as high as the blocks of `seen`. */
  readonly head: Head;
  /** New deposits and moved ones, oldest first. */
  readonly seen: readonly Seen[];
  /** References of open deposits whose transaction can no longer arrive. */
  readonly dropped: readonly string[];
  /** The next scan may find deposits at once. */
  readonly more: boolean;
}

/** When a deposit is final. */
interface Finality {
  /** Confirmations, as the payer sees them. The block of the transaction is the first. */
  readonly blocks: number;
  /** Whether the chain's tag decides (`Head.finalized`) and not the number of blocks. */
  readonly byTag: boolean;
}

/** How money is received on a chain. Deposits are read by cursor, so a restart loses no deposit. */
export interface Receiving {
  /**
   * The tags of targets, as decimal numbers. A range: tags are drawn from it. A mistyped tag then rarely belongs to
   * another target. `counted`: each target gets the next number, as the indexes of derived addresses do.
   */
  readonly tags: { readonly from: bigint; readonly below: bigint } | 'counted';
  /** Usual seconds until a deposit is final. */
  readonly etaSeconds: number;
  /** The standard of `uri`, for example `sep7`. */
  readonly uriFormat: string;
  /** Whether targets can be derived from the address, so that payers can pay a merchant's own account. */
  isBaseAddress(text: string): boolean;
  /** The account that is read for deposits to the address, muxed or not. */
  accountOf(address: string): string;
  /** The target for a tag of `tags`. The same account and tag give the same target in each process. */
  newTarget(account: string, tag: string): Target;
  /** A payment link, signed if its standard (SEP-7, BIP-21, EIP-681) allows this. Also shown as a QR code. */
  uri(request: {
    readonly target: Target;
    readonly asset: string;
    /** Null: the payer chooses the amount. */
    readonly amount: bigint | null;
    readonly message: string;
  }): string;
  /** When a deposit of this amount is final. */
  finality(asset: string, amount: bigint): Finality;
  /** A cursor that precedes all later deposits. */
  start(): Promise<string>;
  /** Deposits after the cursor. Throws if the chain's server no longer knows the cursor. */
  scan(request: ScanRequest): Promise<Scan>;
  /** Calls `onHint` when deposits may have arrived, until the signal aborts. */
  follow(account: string, onHint: () => void, signal: AbortSignal): void;
}

/** A chain on which payers pay. */
export interface Chain {
  /** For example `stellar`. */
  readonly id: string;
  readonly name: string;
  /** The network as CAIP-2 id: `stellar:testnet`. */
  readonly network: string;
  /** The wire text of the coin that every account can hold. */
  readonly nativeAsset: string;
  /** Wire texts of the assets in the chain's own table. Empty on Stellar, where any account may issue an asset. */
  readonly assets: readonly string[];
  /** The largest amount of an asset without a price that is not worth a report to the merchant. */
  readonly dust: bigint;
  readonly receive: Receiving;
  /** Whether the text is an address that can send or receive. */
  isAddress(text: string): boolean;
  /**
   * The canonical form of a destination that a person or another program wrote: equal destinations are equal texts.
   * Throws `invalid_address` or `parameter_invalid`, with the wrong field as param.
   */
  destination(fields: Readonly<Record<string, string>>): ChainDestination;
  /** The assets that the account can receive now, or null if the account does not exist. */
  acceptedAssets(account: string): Promise<readonly string[] | null>;
  /** The usual network fee of a payment. */
  networkFee(): Promise<{ readonly asset: string; readonly amount: bigint }>;
  /** A public page about the transaction. Null if the network has no explorer. */
  transactionUrl(hash: string): string | null;
}

/** A canonical destination. It has both `memo` and `memo_type`, or neither. On Stellar the address may be muxed. */
export interface ChainDestination extends Readonly<Record<string, string>> {
  readonly address: string;
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

/** Checks payees on a chain on which the service sends money. */
export interface ChainPayees {
  /** Why the destination cannot receive the money now. Null if it can. Throws `unavailable`. */
  objection(money: {
    readonly destination: ChainDestination;
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
  /** Null: the service builds no transactions for wallets of this chain. */
  readonly wallets: ChainWallets | null;
  /** Null: the service cannot send on the chain. */
  readonly payees: ChainPayees | null;
  /** Accounts that fund the service's own account. Their deposits are not payments. */
  readonly suppliers?: readonly string[];
}
