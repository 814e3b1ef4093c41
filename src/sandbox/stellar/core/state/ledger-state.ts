import type {
  Account,
  ChangedEntry,
  ClaimableBalance,
  DataEntry,
  Entry,
  EntryKind,
  LedgerHeader,
  LiquidityPool,
  Offer,
  Trustline,
} from './entries.ts';
import { EntryIndex, EntryTable, Journal } from './entry-table.ts';
import { decodeEntry, decodeKey, encodeEntry, encodeKey, rowKey } from './entry-xdr.ts';
import { OrderBooks } from './order-book.ts';

/** The header and all entries of a ledger, with indexes over them. */
export class LedgerState {
  readonly journal = new Journal();
  readonly books = new OrderBooks();
  readonly #linesByAccount = new EntryIndex<Trustline>(line => [line.account]);
  readonly #offersByAccount = new EntryIndex<Offer>(offer => [offer.seller]);
  readonly #dataByAccount = new EntryIndex<DataEntry>(entry => [entry.account]);
  readonly #balancesByClaimant = new EntryIndex<ClaimableBalance>(({ claimants }) =>
    claimants.map(({ destination }) => destination),
  );

  readonly accounts = new EntryTable<Account>(this.journal, 'account');
  readonly lines = new EntryTable<Trustline>(this.journal, 'line', [this.#linesByAccount]);
  readonly offers = new EntryTable<Offer>(this.journal, 'offer', [this.books, this.#offersByAccount]);
  readonly data = new EntryTable<DataEntry>(this.journal, 'data', [this.#dataByAccount]);
  readonly balances = new EntryTable<ClaimableBalance>(this.journal, 'balance', [this.#balancesByClaimant]);
  readonly pools = new EntryTable<LiquidityPool>(this.journal, 'pool');
  /** Current sponsors of accounts (CAP-33); empty between transactions. */
  readonly sponsorships = new EntryTable<string>(this.journal);
  /** How many accounts an account currently sponsors; empty between transactions. */
  readonly sponsorshipCounts = new EntryTable<number>(this.journal);
  /** While a ledger with account merges closes: the highest sequence that each source uses in it (CAP-21). */
  readonly highestSequences = new Map<string, bigint>();
  readonly #header = new EntryTable<LedgerHeader>(this.journal);

  constructor(header: LedgerHeader) {
    this.#header.restore('', header);
  }

  get header(): LedgerHeader {
    return this.#header.get('') as LedgerHeader;
  }

  set header(header: LedgerHeader) {
    this.#header.set('', header);
  }

  /** The table of a kind of entry, for code that handles all kinds alike. */
  table(kind: EntryKind): EntryTable<unknown> {
    const { accounts, lines, offers, data, balances, pools } = this;
    return { account: accounts, line: lines, offer: offers, data, balance: balances, pool: pools }[
      kind
    ] as EntryTable<unknown>;
  }

  /** Trust lines of an account, pool shares included. */
  linesOf(account: string): Trustline[] {
    return rows(this.#linesByAccount, account, this.lines);
  }

  offersOf(account: string): Offer[] {
    return rows(this.#offersByAccount, account, this.offers);
  }

  dataOf(account: string): DataEntry[] {
    return rows(this.#dataByAccount, account, this.data);
  }

  /** Claimable balances that an account may claim. */
  balancesFor(claimant: string): ClaimableBalance[] {
    return rows(this.#balancesByClaimant, claimant, this.balances);
  }

  /** Makes all changes final, stamps them with the ledger number and returns them as they are stored. */
  settle(): ChangedEntry[] {
    return this.journal.settle().flatMap(({ table, key, before }) => {
      const { kind } = table;
      if (kind === null) return [];
      const row = table.get(key);
      if (row === undefined) return [{ keyXdr: encodeKey({ kind, entry: before } as Entry), entryXdr: null }];
      const stamped = { kind, entry: { ...row, lastModified: this.header.sequence } } as Entry;
      table.restore(key, stamped.entry);
      return [encodeEntry(stamped)];
    });
  }

  /** Applies stored entries and deletions. They are final at once. */
  load(changes: Iterable<ChangedEntry>): void {
    for (const { keyXdr, entryXdr } of changes) {
      if (entryXdr === null) {
        const { kind, key } = decodeKey(keyXdr);
        this.table(kind).restore(key, undefined);
      } else {
        const entry = decodeEntry(entryXdr);
        this.table(entry.kind).restore(rowKey(entry), entry.entry);
      }
    }
  }
}

function rows<Row>(index: EntryIndex<Row>, group: string, table: EntryTable<Row>): Row[] {
  const found: Row[] = [];
  for (const key of index.keysOf(group)) {
    const row = table.get(key);
    if (row !== undefined) found.push(row);
  }
  return found;
}
