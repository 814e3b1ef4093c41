/**
 * The operations that the service builds and understands, as plain data: a closed set. Amounts are stroops, assets wire
 * texts (`XLM`, `CODE:ISSUER`), addresses `G…`, where payments go also `M…`. Names are those of the protocol.
 */

/** When a claimant may claim a balance. Seconds since 1970, or since the balance was made. */
export type ClaimPredicate =
  | { readonly type: 'unconditional' }
  | { readonly type: 'beforeAbsoluteTime'; readonly seconds: bigint }
  | { readonly type: 'beforeRelativeTime'; readonly seconds: bigint }
  | { readonly type: 'not'; readonly predicate: ClaimPredicate }
  | { readonly type: 'and' | 'or'; readonly predicates: readonly [ClaimPredicate, ClaimPredicate] };

/** Who may claim a balance, and when. */
export interface BalanceClaimant {
  readonly destination: string;
  readonly predicate: ClaimPredicate;
}

/** Flags of an issuing account. */
export type AccountFlag = 'required' | 'revocable' | 'immutable' | 'clawback_enabled';

/** Pays an asset that the source holds. */
export interface PaymentOperation {
  readonly type: 'payment';
  readonly destination: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** Delivers exactly `destinationAmount`, and takes at most `sendMax` for it. */
export interface PathPaymentStrictReceiveOperation {
  readonly type: 'pathPaymentStrictReceive';
  readonly sendAsset: string;
  readonly sendMax: bigint;
  readonly destination: string;
  readonly destinationAsset: string;
  readonly destinationAmount: bigint;
  /** At most five assets between the two. */
  readonly path: readonly string[];
}

/** Takes exactly `sendAmount`, and delivers at least `destinationMin`. */
export interface PathPaymentStrictSendOperation {
  readonly type: 'pathPaymentStrictSend';
  readonly sendAsset: string;
  readonly sendAmount: bigint;
  readonly destination: string;
  readonly destinationAsset: string;
  readonly destinationMin: bigint;
  readonly path: readonly string[];
}

/** Opens an account; 0 is a balance only for a sponsored one. */
export interface CreateAccountOperation {
  readonly type: 'createAccount';
  readonly destination: string;
  readonly startingBalance: bigint;
}

/** Opens, changes or, with a limit of 0, ends a trust line. */
export interface ChangeTrustOperation {
  readonly type: 'changeTrust';
  readonly asset: string;
  readonly limit: bigint;
}

/** Puts money aside for claimants. */
export interface CreateClaimableBalanceOperation {
  readonly type: 'createClaimableBalance';
  readonly asset: string;
  readonly amount: bigint;
  readonly claimants: readonly BalanceClaimant[];
}

/** Takes what was put aside. */
export interface ClaimClaimableBalanceOperation {
  readonly type: 'claimClaimableBalance';
  /** As Horizon shows it: hex, 8 digits of its type and 64 of its hash. */
  readonly balanceId: string;
}

/** Sets or, with null, removes an entry of an account’s data. */
export interface ManageDataOperation {
  readonly type: 'manageData';
  readonly name: string;
  readonly value: Uint8Array | null;
}

/** Sets an account’s home domain and flags; what is left out stays. */
export interface SetOptionsOperation {
  readonly type: 'setOptions';
  readonly homeDomain?: string;
  readonly setFlags?: readonly AccountFlag[];
  readonly clearFlags?: readonly AccountFlag[];
}

/** The source pays the reserves of what the account makes, until the account says it ends. */
export interface BeginSponsoringOperation {
  readonly type: 'beginSponsoringFutureReserves';
  readonly sponsored: string;
}

/** The source, whose reserves were sponsored, ends that. */
export interface EndSponsoringOperation {
  readonly type: 'endSponsoringFutureReserves';
}

/** What every operation may have besides: the account it is done for, when that is not the transaction’s own. */
interface OperationSource {
  readonly source?: string;
}

/** An operation the service knows. */
export type StellarOperation = OperationSource &
  (
    | PaymentOperation
    | PathPaymentStrictReceiveOperation
    | PathPaymentStrictSendOperation
    | CreateAccountOperation
    | ChangeTrustOperation
    | CreateClaimableBalanceOperation
    | ClaimClaimableBalanceOperation
    | ManageDataOperation
    | SetOptionsOperation
    | BeginSponsoringOperation
    | EndSponsoringOperation
  );

/** The name of an operation the service knows. */
export type StellarOperationType = StellarOperation['type'];

/** The operation with the name. */
export type OperationOf<T extends StellarOperationType> = Extract<StellarOperation, { readonly type: T }>;

/** SEP-29: the entry of an account’s data that asks wallets for a memo. */
export const memoRequiredEntry = { name: 'config.memo_required', value: Buffer.from('1') } as const;
