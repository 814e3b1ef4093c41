import type { StellarNetworkName } from '../../api/crypto.ts';
import type { ErrorCode } from '../../core/error.ts';

/**
 * The contract of every chain on which payers pay. An adapter has no database of the service, no clock and no secret
 * of its own; it is pulled with a cursor, so that a restart loses nothing. Amounts are bigint in the asset’s smallest
 * unit; assets are wire texts (`XLM`, `CODE:ISSUER`). What a chain cannot do is an absent property; what it cannot say
 * now throws `unavailable`.
 */

/** Where a payer is to send money so that it is known to be for one payment. */
export interface DepositTarget {
  /** What wallets pay: on Stellar the muxed address. */
  readonly address: string;
  /** For wallets that cannot pay `address`: this one, together with `memo`. */
  readonly baseAddress: string;
  readonly memo: string;
  readonly memoType: 'id' | 'text';
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
  /** The tags of deposit targets that it may name (muxed id, memo), the one to believe first. */
  readonly tags: readonly string[];
  /** The memo as it was written, for people; without characters that no database keeps. */
  readonly memo: string | null;
  readonly memoType: string | null;
  /** Who sent it, muxed where it was; null when the chain cannot tell. */
  readonly sender: string | null;
  readonly block: number;
  readonly confirmations: number;
  /** By the chain’s own time. */
  readonly at: Date;
}

/** A page of deposits. `cursor` stands after everything that was looked at, deposit or not. */
export interface DepositPage {
  readonly deposits: readonly Deposit[];
  readonly cursor: string;
  /** There may be more: ask again at once. */
  readonly more: boolean;
}

/** Payers’ money coming in by one chain. */
export interface Chain {
  /** `stellar` … */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** Which of the chain’s networks, as CAIP-2 writes it: `stellar:testnet`. */
  readonly network: string;
  /** Confirmations until a deposit counts; Stellar’s ledgers are final, so 1. */
  readonly requiredConfirmations: number;
  /** Usual seconds from sending to counting. */
  readonly etaSeconds: number;
  /** The standard of `paymentUri`: `sep7` … */
  readonly uriFormat: string;
  /** The coin of the chain itself, which every account can hold: a wire text. */
  readonly nativeAsset: string;
  /** Decimals of an asset’s amounts. */
  decimals(asset: string): number;
  /** Whether the text is an address to which, or from which, money can go. */
  isAddress(text: string): boolean;
  /** Whether the text is an address that deposit targets can be made of. */
  isBaseAddress(text: string): boolean;
  /** The account that an address leads to: on Stellar the one behind a muxed address. */
  baseAddressOf(address: string): string;
  /** The target with the tag (a decimal number from 1, below 2^63) in the account. */
  newDepositTarget(account: string, tag: string): DepositTarget;
  /** A link and QR content that opens a wallet with everything filled in (SEP-7, BIP-21, EIP-681), signed where the standard knows it. */
  paymentUri(request: {
    readonly target: DepositTarget;
    readonly asset: string;
    readonly amount: bigint;
    readonly message: string;
  }): string;
  /** The assets that the account can take in now; null when there is no such account. */
  acceptedAssets(account: string): Promise<readonly string[] | null>;
  /** About what the network takes for a payment. */
  networkFee(): Promise<{ readonly asset: string; readonly amount: bigint }>;
  /** A cursor before everything that anybody sends from now on. */
  latestCursor(): Promise<string>;
  /** Deposits after the cursor, oldest first. A cursor that the chain’s server no longer knows throws, and is never given up. */
  findDeposits(account: string, cursor: string, limit: number): Promise<DepositPage>;
  /** Calls back whenever it is worth looking for deposits; until the signal aborts. */
  follow(account: string, onHint: () => void, signal: AbortSignal): void;
}

/** What an account holds of an asset, and what paying with it would take: `amount` expected, `amountMax` at most. */
export interface WalletHolding {
  readonly asset: string;
  readonly balance: bigint;
  /** Null: nothing leads from this asset to the one that is to be paid. */
  readonly amount: bigint | null;
  readonly amountMax: bigint | null;
  /** The assets in between. */
  readonly path: readonly string[];
}

/** What a transaction for a payer’s wallet is to do: deliver exactly `destinationAmount`, paid with `asset`. */
export interface WalletPayment {
  readonly address: string;
  readonly asset: string;
  readonly destination: string;
  readonly destinationAsset: string;
  readonly destinationAmount: bigint;
  /** By the network’s time; from then on no ledger takes it. */
  readonly validUntil: Date;
}

/** A transaction that a wallet may sign. */
export interface WalletEnvelope {
  readonly envelope: string;
  readonly hash: string;
  readonly amount: bigint;
  readonly amountMax: bigint;
  readonly path: readonly string[];
}

/** Where a transaction that was handed in stands. `refused` was not taken as it is, though an earlier sending may have been. */
export type WalletOutcome =
  | { readonly state: 'applied' }
  | { readonly state: 'failed'; readonly code: ErrorCode; readonly message: string }
  | { readonly state: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** Not known yet; `seenUntil` is the time of the newest block it is certainly not in. */
  | { readonly state: 'open'; readonly seenUntil: Date | null };

/** Payers’ own wallets on a chain: the service makes the transaction, the wallet signs it, the service hands it in. */
export interface ChainWallets {
  /** Wallets that can pay: `freighter` … */
  readonly names: readonly string[];
  /** The network by the name that wallets show, and what they sign for it; where wallets of the chain ask for that. */
  readonly networkName?: StellarNetworkName;
  readonly passphrase?: string;
  /** By how much `amountMax` is above `amount` where the asset is exchanged on the way, in basis points. */
  readonly slippageBasisPoints: number;
  /** What the account holds, and what `amount` of `asset` would cost of each. */
  holdings(
    address: string,
    due: { readonly asset: string; readonly amount: bigint },
  ): Promise<{
    readonly problem: 'account_missing' | 'wrong_address' | null;
    readonly assets: readonly WalletHolding[];
  }>;
  /**
   * Makes the transaction. Throws what stands in its way: `stellar_account_missing`, `stellar_no_trustline`,
   * `stellar_underfunded`, `stellar_no_path`, `invalid_address`.
   */
  build(payment: WalletPayment): Promise<WalletEnvelope>;
  /**
   * Whether what a wallet gave back is what was made for it, signed by the account: throws `wallet_transaction_changed`
   * or `stellar_bad_signature`.
   */
  verify(made: { readonly envelope: string; readonly address: string }, signed: string): Promise<void>;
  /** Hands it in. Never throws for the network’s sake; handing the same in again is always safe. */
  submit(signed: string): Promise<WalletOutcome>;
  status(hash: string): Promise<WalletOutcome>;
}

/**
 * Where money goes back to, as the `destination` of a refund: `memo` and `memo_type` (`text`, `id`, `hash`, `return`)
 * only together. On Stellar the address may be muxed.
 */
export interface RefundDestination extends Readonly<Record<string, string>> {
  readonly address: string;
}

/** Checks who can take money on a chain that the service sends on. */
export interface ChainPayees {
  /** Why the destination could not take the money now, or null. Throws `unavailable` when the network cannot be asked. */
  objection(money: {
    readonly destination: RefundDestination;
    readonly asset: string;
    readonly amount: bigint;
  }): Promise<{ readonly code: string; readonly message: string } | null>;
  /** Whether the destination is at fault: another address will do, or the same one once its owner has mended it. */
  isAddressFault(code: string): boolean;
}

/** A chain on which the service is paid, in one mode. */
export interface CryptoRail {
  readonly chain: Chain;
  /** Whether its money is real. */
  readonly livemode: boolean;
  /** The service’s own account: what is settled afterwards is paid into it. */
  readonly account: string;
  readonly wallets: ChainWallets;
  /** Null: the service cannot send on the chain. */
  readonly payees: ChainPayees | null;
  /** Accounts that keep the service’s own one supplied: what they send to it is no payer’s. */
  readonly suppliers?: readonly string[];
}
