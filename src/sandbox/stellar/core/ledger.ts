import { type ClosedLedger, closeLedger, nextMoment, settleQueue } from './ledger-close.ts';
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
import { loadChanges } from './state/ledger-changes.ts';
import { LedgerState } from './state/ledger-state.ts';
import { quote, tradingPairs } from './trading/path-conversion.ts';
import { MalformedEnvelope, networkId, readTransaction } from './transactions/transaction-frame.ts';
import {
  currentRules,
  type LedgerRules,
  type SubmitStatus,
  TransactionQueue,
} from './transactions/transaction-queue.ts';
import { resultXdr } from './transactions/transaction-result.ts';

/** The answer to a submission. */
export interface Submission {
  readonly status: SubmitStatus;
  /** Hex; of a fee bump the outer one. */
  readonly hash: string;
  /** The refusal as a `TransactionResult`, base64; only with `ERROR`. */
  readonly resultXdr: string | null;
}

/** What a ledger begins with. */
interface LedgerOptions {
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
interface AllEntries {
  readonly accounts: Iterable<Account>;
  readonly trustlines: Iterable<Trustline>;
  readonly offers: Iterable<Offer>;
  readonly claimableBalances: Iterable<ClaimableBalance>;
}

/** Two assets of which the first can be changed into the second in one step. */
interface TradingPair {
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
