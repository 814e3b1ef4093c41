import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import { mostStroops } from '../../../../core/stellar/stellar-amount.ts';

// Ledger entries (Stellar-ledger-entries.x) as plain records. Amounts are stroops, accounts `G…`, assets `native` or
// `CODE:ISSUER`, pool ids hex. A record is never changed in place, so that the journal can restore an earlier record.

/** The header of a closed ledger. */
export interface LedgerHeader {
  readonly sequence: number;
  /** Seconds since 1970. */
  readonly closeTime: bigint;
  readonly baseFee: number;
  readonly baseReserve: number;
  /** The maximum number of operations in a ledger. */
  readonly maxTxSetSize: number;
  readonly feePool: bigint;
  readonly totalCoins: bigint;
  /** The id of the newest offer in the ledger. */
  readonly idPool: bigint;
}

interface Stored {
  /** The account that pays the reserve (CAP-33). `null`: the owner pays. */
  readonly sponsor: string | null;
  /** The ledger that last stored this entry. */
  readonly lastModified: number;
}

/** Amounts that the open offers may still buy and sell (CAP-3). */
export interface Liabilities {
  readonly buying: bigint;
  readonly selling: bigint;
}

/** A signer: `G…`, `T…` (one transaction), `X…` (hash preimage) or `P…` (signed payload). */
export interface AccountSigner {
  readonly key: string;
  readonly weight: number;
  readonly sponsor: string | null;
}

/** Weights, 0 to 255. */
interface Thresholds {
  readonly master: number;
  readonly low: number;
  readonly medium: number;
  readonly high: number;
}

export interface Account extends Stored, Liabilities {
  readonly id: string;
  readonly balance: bigint;
  readonly sequence: bigint;
  /** Number of trust lines, offers, data entries and signers. A pool share trust line counts twice. */
  readonly subEntries: number;
  readonly inflationDestination: string | null;
  /** See `accountFlag`. */
  readonly flags: number;
  readonly homeDomain: string;
  readonly thresholds: Thresholds;
  /** The account’s signers, sorted by `signerOrder`. */
  readonly signers: readonly AccountSigner[];
  /** Number of reserves that this account pays for others. */
  readonly sponsoring: number;
  /** Number of reserves that others pay for this account. */
  readonly sponsored: number;
  /** The ledger in which a transaction or a bump last set the sequence, and its close time (CAP-21). */
  readonly sequenceLedger: number;
  readonly sequenceTime: bigint;
}

export const accountFlag = { required: 1, revocable: 2, immutable: 4, clawback: 8 } as const;

export interface Trustline extends Stored, Liabilities {
  readonly account: string;
  /** `CODE:ISSUER`, or a pool id for pool shares. */
  readonly asset: string;
  readonly balance: bigint;
  readonly limit: bigint;
  /** See `lineFlag`. */
  readonly flags: number;
  /** Number of the account’s pool share trust lines whose pool contains this asset. */
  readonly poolUses: number;
}

export const lineFlag = { authorized: 1, maintainLiabilities: 2, clawback: 4 } as const;

/** Units of `buying` per unit of `selling`: the ratio `n` / `d` of positive 31-bit integers. */
export interface Price {
  readonly n: number;
  readonly d: number;
}

export interface Offer extends Stored {
  readonly id: bigint;
  readonly seller: string;
  readonly selling: string;
  readonly buying: string;
  readonly amount: bigint;
  readonly price: Price;
  /** When a passive offer is placed or changed, it does not trade with offers of the same price. */
  readonly passive: boolean;
}

export interface DataEntry extends Stored {
  readonly account: string;
  readonly name: string;
  readonly value: Uint8Array;
}

export interface ClaimableBalance extends Stored {
  /** The XDR of the balance id, hex. */
  readonly id: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly claimants: readonly { readonly destination: string; readonly predicate: ClaimPredicateWire }[];
  readonly clawback: boolean;
}

/** A constant product pool (CAP-38). Pools have no sponsor. */
export interface LiquidityPool {
  /** Hash of the pool’s parameters, hex. */
  readonly id: string;
  readonly assetA: string;
  readonly assetB: string;
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly shares: bigint;
  readonly trustlines: bigint;
  readonly lastModified: number;
}

/** The fee of every pool, in basis points. */
export const poolFee = 30;

/** The largest amount, 2⁶³ − 1. */
export const maxAmount = mostStroops;

/** The row type of each kind of entry. */
export interface EntryRows {
  readonly account: Account;
  readonly line: Trustline;
  readonly offer: Offer;
  readonly data: DataEntry;
  readonly balance: ClaimableBalance;
  readonly pool: LiquidityPool;
}

export type EntryKind = keyof EntryRows;

/** An entry of any kind. */
export type Entry = { [K in EntryKind]: { readonly kind: K; readonly entry: EntryRows[K] } }[EntryKind];

/** A stored entry: `LedgerKey` and `LedgerEntry`, base64. `null` for a deleted entry. */
export interface ChangedEntry {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
}

/** Thrown for a state that must not occur, as in stellar-core. The transaction then ends with `tx_internal_error`. */
export class BrokenInvariant extends Error {}

/** A new account. Its sequence starts at ledger number × 2³², so a recreated account does not reuse a sequence. */
export function newAccount(id: string, balance: bigint, ledger: number, sponsor: string | null): Account {
  return {
    id,
    balance,
    sequence: BigInt(ledger) << 32n,
    subEntries: 0,
    inflationDestination: null,
    flags: 0,
    homeDomain: '',
    thresholds: { master: 1, low: 0, medium: 0, high: 0 },
    signers: [],
    buying: 0n,
    selling: 0n,
    sponsoring: 0,
    sponsored: sponsor === null ? 0 : 2,
    sequenceLedger: 0,
    sequenceTime: 0n,
    sponsor,
    lastModified: ledger,
  };
}
