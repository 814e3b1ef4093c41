import type { Account, ClaimableBalance, DataEntry, LiquidityPool, Offer, Trustline } from './core/entries.ts';
import { loadChanges } from './core/ledger-changes.ts';
import { closeLedger, nextMoment, settleQueue } from './core/ledger-close.ts';
import { LedgerState } from './core/ledger-state.ts';
import { quote, tradingPairs } from './core/quote.ts';
import { MalformedEnvelope, networkId, readTransaction } from './core/transaction-frame.ts';
import { TransactionQueue } from './core/transaction-queue.ts';
import { resultXdr } from './core/transaction-result.ts';

/**
 * The heart of the sandbox network: a Stellar ledger that agrees with stellar-core to the stroop. It knows no clock,
 * no database and no HTTP; whoever owns it says when a ledger closes and keeps what changed.
 *
 * Entries are what stellar-core calls ledger entries (CAP, `Stellar-ledger-entries.x`), held in memory: their number
 * grows with accounts, trust lines and offers, never with history.
 */

export type {
  Account,
  ClaimableBalance,
  DataEntry,
  LiquidityPool,
  Offer,
  Trustline,
} from './core/entries.ts';
export { MalformedEnvelope } from './core/transaction-frame.ts';

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

/** Where protocols differ; the default is the network of today. */
export interface LedgerRules {
  /** The queue holds one transaction for each source account (core 20 and later). */
  readonly oneTransactionPerSource: boolean;
  /** The lowest bid becomes the base fee only when something did not fit (core 20 and later). */
  readonly surgeOnlyWhenFull: boolean;
  /** The inner result of a fee bump says a fee of 0 (protocol 25 and later). */
  readonly feeBumpInnerFeeZero: boolean;
}

/** The network of today. */
export const currentRules: LedgerRules = {
  oneTransactionPerSource: true,
  surgeOnlyWhenFull: true,
  feeBumpInnerFeeZero: true,
};

/** The network at protocol 19. */
export const protocol19Rules: LedgerRules = {
  oneTransactionPerSource: false,
  surgeOnlyWhenFull: false,
  feeBumpInnerFeeZero: false,
};

/** What the queue says of a transaction, in stellar-core’s words. */
export type SubmitStatus = 'PENDING' | 'DUPLICATE' | 'ERROR' | 'TRY_AGAIN_LATER';

/** The answer to a submission. */
export interface Submission {
  readonly status: SubmitStatus;
  /** Hex; of a fee bump the outer one. */
  readonly hash: string;
  /** The refusal as a `TransactionResult`, base64; only with `ERROR`. */
  readonly resultXdr: string | null;
}

/** A transaction that was applied. */
export interface AppliedTransaction {
  readonly hash: string;
  /** Of a fee bump, the hash of what it carries. */
  readonly innerHash: string | null;
  readonly envelopeXdr: string;
  /** `TransactionResult`, base64. */
  readonly resultXdr: string;
  readonly successful: boolean;
  readonly feeCharged: bigint;
}

/** An entry as it is kept: its `LedgerKey` and `LedgerEntry`, base64; `null` where it was deleted. */
export interface ChangedEntry {
  readonly keyXdr: string;
  readonly entryXdr: string | null;
}

/** All that a close brought about. */
export interface ClosedLedger {
  readonly header: LedgerHeader;
  /** In the order they were applied. */
  readonly transactions: readonly AppliedTransaction[];
  readonly changes: readonly ChangedEntry[];
  /** Hashes of queued transactions that fell out (their bounds passed, they were replaced or waited too long). */
  readonly dropped: readonly string[];
}

/** What a ledger begins with. */
export interface LedgerOptions {
  readonly networkPassphrase: string;
  readonly header: LedgerHeader;
  /** Default: {@link currentRules}. */
  readonly rules?: LedgerRules;
  /** Entries as an earlier close told them. */
  readonly entries?: Iterable<ChangedEntry>;
}

/** Everything the root account of a new network has: all the coins there are. */
export interface AccountView extends Account {
  readonly data: readonly DataEntry[];
}

/** A ledger that takes transactions and closes. */
export interface Ledger {
  readonly header: LedgerHeader;
  /** Takes a transaction into the queue, or says why not. Throws {@link MalformedEnvelope} where it is no transaction. */
  submit(envelopeXdr: string): Submission;
  /** Closes the next ledger at this time (seconds since 1970), over what waits or exactly these hashes in this order. */
  close(closeTime: bigint, applyOrder?: readonly string[]): ClosedLedger;
  /** Whether the transaction waits for a ledger. */
  queued(hash: string): boolean;
  /** Takes over ledgers that another process closed: what they changed, their header, and what they applied. */
  load(closed: Pick<ClosedLedger, 'header' | 'changes'> & Partial<Pick<ClosedLedger, 'transactions'>>): void;
  account(address: string): AccountView | null;
  /** Trust lines of an account; those for shares of pools have the pool’s id as asset. */
  trustlines(address: string): readonly Trustline[];
  /** In the order of their ids. */
  offersOf(address: string): readonly Offer[];
  /** One by its id (hex of its XDR), or all that an account may claim. */
  claimableBalances(query: { readonly claimant: string } | { readonly id: string }): readonly ClaimableBalance[];
  pool(id: string): LiquidityPool | null;
  pools(): readonly LiquidityPool[];
  /** Every entry of a kind, in no order: for questions that no index answers. */
  all(): AllEntries;
  /** Offers that sell one asset for another, best first. */
  orderBook(selling: string, buying: string, limit: number): readonly Offer[];
  /** Pairs that can be traded: what is given, and what is got for it, by offers or by a pool. */
  pairs(): readonly TradingPair[];
  /**
   * What a path payment along these assets (from the one sent to the one received) would deliver for exactly this
   * amount, in stroops; `null` where the books and pools cannot. A payer’s own offers are not taken. Nothing changes.
   */
  quoteStrictSend(path: readonly string[], amount: bigint, payer?: string): bigint | null;
  /** What a path payment along these assets would cost to deliver exactly this amount; `null` where it cannot. */
  quoteStrictReceive(path: readonly string[], amount: bigint, payer?: string): bigint | null;
}

/** All accounts, trust lines, offers and claimable balances of a ledger; each can be gone through once. */
export interface AllEntries {
  readonly accounts: Iterable<Account>;
  readonly trustlines: Iterable<Trustline>;
  readonly offers: Iterable<Offer>;
  readonly claimableBalances: Iterable<ClaimableBalance>;
}

/** Two assets of which the first can be changed into the second in one step. */
export interface TradingPair {
  readonly from: string;
  readonly to: string;
}

/** Opens a ledger over what it held when it last closed. */
export function createLedger({ networkPassphrase, header, rules = currentRules, entries = [] }: LedgerOptions): Ledger {
  const network = networkId(networkPassphrase);
  const state = new LedgerState(header);
  const queue = new TransactionQueue(rules);
  loadChanges(state, entries);
  return {
    get header() {
      return state.header;
    },
    submit: envelopeXdr => {
      const frame = readTransaction(network, envelopeXdr);
      const { status, result } = queue.add(state, frame, nextMoment(state));
      return { status, hash: frame.hash, resultXdr: result && resultXdr(result) };
    },
    close: (closeTime, applyOrder) => closeLedger(state, queue, rules, closeTime, applyOrder),
    queued: hash => queue.find(hash) !== undefined,
    load: closed => {
      const passed = closed.header.sequence - state.header.sequence;
      loadChanges(state, closed.changes);
      state.header = closed.header;
      state.journal.settle();
      const applied = closed.transactions ?? [];
      settleQueue(
        state,
        queue,
        applied.map(({ envelopeXdr }) => readTransaction(network, envelopeXdr)),
        passed,
      );
      queue.takeFallen();
    },
    ...reading(state),
  };
}

function reading(state: LedgerState): Omit<Ledger, 'header' | 'submit' | 'close' | 'queued' | 'load'> {
  return {
    account: address => {
      const account = state.accounts.get(address);
      return account ? { ...account, data: state.dataOf(address) } : null;
    },
    trustlines: address => state.linesOf(address),
    offersOf: address => state.offersOf(address).sort((a, b) => (a.id < b.id ? -1 : 1)),
    claimableBalances: query => {
      if ('claimant' in query) return state.balancesFor(query.claimant);
      const balance = state.balances.get(query.id);
      return balance ? [balance] : [];
    },
    pool: id => state.pools.get(id) ?? null,
    pools: () => [...state.pools.values()],
    all: () => ({
      accounts: state.accounts.values(),
      trustlines: state.lines.values(),
      offers: state.offers.values(),
      claimableBalances: state.balances.values(),
    }),
    orderBook: (selling, buying, limit) => state.books.book(selling, buying).slice(0, limit),
    pairs: () => tradingPairs(state),
    quoteStrictSend: (path, amount, payer) => quote(state, { path, amount, payer, strict: 'send' }),
    quoteStrictReceive: (path, amount, payer) => quote(state, { path, amount, payer, strict: 'receive' }),
  };
}
