import { type AppliedTransaction, type ClosedLedger, closeLedger, nextMoment, updateQueue } from './ledger-close.ts';
import type {
  Account,
  ChangedEntry,
  ClaimableBalance,
  DataEntry,
  LedgerHeader,
  LiquidityPool,
  Offer,
  Trustline,
} from './state/entries.ts';
import { LedgerState } from './state/ledger-state.ts';
import { type PathTerms, quote, type TradingPair, tradingPairs } from './trading/conversion.ts';
import { networkId, readTransaction, resultXdr } from './transactions/transaction.ts';
import {
  currentRules,
  type LedgerRules,
  type SubmitStatus,
  TransactionQueue,
} from './transactions/transaction-queue.ts';

/** The answer to a submission. */
export interface Submission {
  readonly status: SubmitStatus;
  /** The hash in hex. For a fee bump, the outer hash. */
  readonly hash: string;
  /** The `TransactionResult` of the refusal, base64. Null unless the status is `ERROR`. */
  readonly resultXdr: string | null;
}

interface LedgerOptions {
  readonly networkPassphrase: string;
  readonly header: LedgerHeader;
  /** Default: {@link currentRules}. */
  readonly rules?: LedgerRules;
  /** The stored entries. */
  readonly entries?: Iterable<ChangedEntry>;
}

/** An account with its data entries. */
export interface AccountView extends Account {
  readonly data: readonly DataEntry[];
}

/** The read-only part of a ledger. */
export interface LedgerView {
  readonly header: LedgerHeader;
  account(address: string): AccountView | null;
  /** Trust lines of an account. The asset of a pool share trust line is the pool’s id. */
  trustlines(address: string): readonly Trustline[];
  /** The offers of an account, sorted by id. */
  offersOf(address: string): readonly Offer[];
  /** A claimable balance by its id (hex of the XDR), or all balances that list an account as claimant. */
  claimableBalances(query: { readonly claimant: string } | { readonly id: string }): readonly ClaimableBalance[];
  pool(id: string): LiquidityPool | null;
  pools(): readonly LiquidityPool[];
  /** Entries in any order, for queries without an index. Each list can be iterated once. */
  all(): {
    readonly accounts: Iterable<Account>;
    readonly trustlines: Iterable<Trustline>;
    readonly offers: Iterable<Offer>;
    readonly claimableBalances: Iterable<ClaimableBalance>;
  };
  /** Offers that sell one asset for another, best first. */
  orderBook(selling: string, buying: string): readonly Offer[];
  /** Pairs of assets that offers or pools can convert. */
  pairs(): readonly TradingPair[];
  /**
   * Quotes a path payment: what an exact sent amount delivers, or what an exact received amount costs, in stroops. Null
   * if the payment is impossible. Changes nothing.
   */
  quote(terms: PathTerms): bigint | null;
}

/**
 * A Stellar ledger that computes the same amounts as stellar-core. It has no clock, database or HTTP: the caller closes
 * ledgers and stores the changes. Keeps all entries in memory, but no history.
 */
export interface Ledger extends LedgerView {
  /** Adds a transaction to the queue, or refuses it. Throws `MalformedEnvelope`. */
  submit(envelopeXdr: string): Submission;
  /**
   * Closes the next ledger with pending transactions, or with exactly the hashes in `applyOrder`. `closeTime` is in
   * seconds since 1970.
   */
  close(closeTime: bigint, applyOrder?: readonly string[]): ClosedLedger;
  /** Whether the transaction is pending. */
  queued(hash: string): boolean;
  /** Applies one or several ledgers that another process closed. */
  load(
    closed: Pick<ClosedLedger, 'header' | 'changes'> & {
      readonly transactions?: readonly Pick<AppliedTransaction, 'envelopeXdr'>[];
    },
  ): void;
}

/** Opens a ledger from its header and its stored entries. */
export function createLedger({ networkPassphrase, header, rules = currentRules, entries = [] }: LedgerOptions): Ledger {
  const network = networkId(networkPassphrase);
  const state = new LedgerState(header);
  const queue = new TransactionQueue(rules);
  state.load(entries);
  return {
    ...viewOf(state),
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
      const ledgers = closed.header.sequence - state.header.sequence;
      state.load(closed.changes);
      state.header = closed.header;
      state.journal.settle();
      const frames = (closed.transactions ?? []).map(({ envelopeXdr }) => readTransaction(network, envelopeXdr));
      updateQueue(state, queue, frames, ledgers);
      queue.takeDropped();
    },
  };
}

function viewOf(state: LedgerState): Omit<LedgerView, 'header'> {
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
    orderBook: (selling, buying) => [...state.books.book(selling, buying)],
    pairs: () => tradingPairs(state),
    quote: terms => quote(state, terms),
  };
}
