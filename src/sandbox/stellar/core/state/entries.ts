import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import { mostStroops } from '../../../../core/money.ts';

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

/**
 * What a ledger holds, as plain records: amounts in stroops, accounts as `G…`, assets as `native` or `CODE:ISSUER`,
 * pools as hex. Records are never changed in place; a change is a new record, so that an earlier one can come back.
 */
interface Stored {
  /** Who pays the reserve (CAP-33); `null` where the owner does. */
  readonly sponsor: string | null;
  /** The ledger that last stored this entry. */
  readonly lastModified: number;
}

/** What an account or a trust line has promised to its offers (CAP-3). */
export interface Liabilities {
  readonly buying: bigint;
  readonly selling: bigint;
}

/** A key that may sign for an account: `G…`, `T…` (one transaction), `X…` (hash of a secret) or `P…` (payload). */
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
  /** Trust lines, offers, data and signers; a line of pool shares counts twice. */
  readonly subEntries: number;
  readonly inflationDestination: string | null;
  /** 1 authorization required, 2 revocable, 4 immutable, 8 clawback. */
  readonly flags: number;
  readonly homeDomain: string;
  readonly thresholds: Thresholds;
  /** In the order of their keys. */
  readonly signers: readonly AccountSigner[];
  /** Reserves paid for others, and reserves that others pay for this account. */
  readonly sponsoring: number;
  readonly sponsored: number;
  /** The ledger and the time at which the sequence last moved (CAP-21). */
  readonly sequenceLedger: number;
  readonly sequenceTime: bigint;
}

export interface Trustline extends Stored, Liabilities {
  readonly account: string;
  /** `CODE:ISSUER`, or the id of a pool whose shares are held. */
  readonly asset: string;
  readonly balance: bigint;
  readonly limit: bigint;
  /** 1 authorized, 2 may maintain liabilities, 4 clawback. */
  readonly flags: number;
  /** Pools this line’s asset is deposited in through a line of pool shares. */
  readonly poolUses: number;
}

/** Units of `buying` for one of `selling`; both fit 31 bits. */
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
  /** A passive offer takes no offer of the same price. */
  readonly passive: boolean;
}

export interface DataEntry extends Stored {
  readonly account: string;
  readonly name: string;
  readonly value: Uint8Array;
}

interface Claimant {
  readonly destination: string;
  readonly predicate: ClaimPredicateWire;
}

export interface ClaimableBalance extends Stored {
  /** The XDR of the id, hex. */
  readonly id: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly claimants: readonly Claimant[];
  readonly clawback: boolean;
}

/** A constant product pool (CAP-38); nobody sponsors it. */
export interface LiquidityPool {
  /** Hash of its parameters, hex. */
  readonly id: string;
  readonly assetA: string;
  readonly assetB: string;
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly shares: bigint;
  readonly trustlines: bigint;
  readonly lastModified: number;
}

/** The fee of every pool, in hundredths of a percent. */
export const poolFee = 30;

/** The largest amount there can be, 2⁶³ − 1. */
export const maxAmount = mostStroops;

/** A state that stellar-core rules out: it ends a transaction with `tx_internal_error`. */
export class BrokenInvariant extends Error {}

/** Any entry, told apart by its table. */
export type Entry =
  | { readonly kind: 'account'; readonly entry: Account }
  | { readonly kind: 'line'; readonly entry: Trustline }
  | { readonly kind: 'offer'; readonly entry: Offer }
  | { readonly kind: 'data'; readonly entry: DataEntry }
  | { readonly kind: 'balance'; readonly entry: ClaimableBalance }
  | { readonly kind: 'pool'; readonly entry: LiquidityPool };

/** An account as it begins: its sequence starts at the ledger’s number, shifted so that it never repeats. */
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

/** An entry as it is kept: its `LedgerKey` and `LedgerEntry`, base64; `null` where it was deleted. */
export interface ChangedEntry {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
}
