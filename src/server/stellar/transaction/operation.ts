/**
 * The operations that the service builds and reads, as plain data. Names are those of the protocol. Amounts are
 * stroops. Assets are wire texts (`XLM`, `CODE:ISSUER`). Addresses are `G…`; payments also accept `M…`.
 */

/** When a claimant may claim a balance. `seconds` count from the balance's creation. */
export type ClaimPredicate =
  | { readonly type: 'unconditional' }
  | { readonly type: 'beforeRelativeTime'; readonly seconds: bigint }
  | { readonly type: 'not'; readonly predicate: ClaimPredicate };

export interface BalanceClaimant {
  readonly destination: string;
  readonly predicate: ClaimPredicate;
}

/** An operation. `source` is the operation's account, if it differs from the transaction's account. */
export type StellarOperation = { readonly source?: string } & (
  | { readonly type: 'payment'; readonly destination: string; readonly asset: string; readonly amount: bigint }
  /** Delivers exactly `destinationAmount` and spends at most `sendMax`. `path`: at most five intermediate assets. */
  | {
      readonly type: 'pathPaymentStrictReceive';
      readonly sendAsset: string;
      readonly sendMax: bigint;
      readonly destination: string;
      readonly destinationAsset: string;
      readonly destinationAmount: bigint;
      readonly path: readonly string[];
    }
  | { readonly type: 'createAccount'; readonly destination: string; readonly startingBalance: bigint }
  /** Opens or changes a trustline. A limit of 0 removes the trustline. */
  | { readonly type: 'changeTrust'; readonly asset: string; readonly limit: bigint }
  | {
      readonly type: 'createClaimableBalance';
      readonly asset: string;
      readonly amount: bigint;
      readonly claimants: readonly BalanceClaimant[];
    }
  /** `balanceId` as in Horizon: hex, 8 digits for the type and 64 for the hash. */
  | { readonly type: 'claimClaimableBalance'; readonly balanceId: string }
  /** Sets a data entry of the account. Null removes the entry. */
  | { readonly type: 'manageData'; readonly name: string; readonly value: Uint8Array | null }
);

export type StellarOperationType = StellarOperation['type'];

export type OperationOf<T extends StellarOperationType> = Extract<StellarOperation, { readonly type: T }>;

/** The data entry by which an account requires a memo (SEP-29). */
export const memoRequiredEntry = { name: 'config.memo_required', value: Buffer.from('1') } as const;
