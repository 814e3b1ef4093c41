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
import { pairKey } from './identifiers.ts';

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
  /** The current sponsor of each account (CAP-33). Empty between transactions. */
  readonly sponsorships = new EntryTable<string>(this.journal);
  /** The number of accounts that an account currently sponsors. Empty between transactions. */
  readonly sponsorshipCounts = new EntryTable<number>(this.journal);
  /** The highest sequence of each source in the closing ledger. Empty if no transaction merges an account. */
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

  /** The table of a kind of entry, for code that treats all kinds alike. */
  table(kind: EntryKind): EntryTable<unknown> {
    const { accounts, lines, offers, data, balances, pools } = this;
    return { account: accounts, line: lines, offer: offers, data, balance: balances, pool: pools }[
      kind
    ] as EntryTable<unknown>;
  }

  /** Trust lines of an account, including pool shares. */
  linesOf(account: string): Trustline[] {
    return rows(this.#linesByAccount, account, this.lines);
  }

  offersOf(account: string): Offer[] {
    return rows(this.#offersByAccount, account, this.offers);
  }

  dataOf(account: string): DataEntry[] {
    return rows(this.#dataByAccount, account, this.data);
  }

  /** Claimable balances that list the account as claimant. */
  balancesFor(claimant: string): ClaimableBalance[] {
    return rows(this.#balancesByClaimant, claimant, this.balances);
  }

  /** Makes all changes final, stamps them with the ledger number and returns their stored form. */
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

  /** Applies stored entries and deletions. These changes are final at once. */
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

/** Compares prices as floating-point numbers, then ids, because stellar-core does so (`isBetterOffer`). */
function compareOffers(a: Offer, b: Offer): number {
  const difference = a.price.n / a.price.d - b.price.n / b.price.d;
  return difference !== 0 ? difference : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

const marketOf = ({ selling, buying }: Offer): string => pairKey(selling, buying);

/** All offers by market, best price first. */
class OrderBooks {
  readonly #books = new Map<string, Offer[]>();

  follow(_: string, before: Offer | undefined, after: Offer | undefined): void {
    if (before && after && marketOf(before) === marketOf(after) && compareOffers(before, after) === 0) {
      const book = this.#bookOf(before);
      book[position(book, before)] = after;
      return;
    }
    if (before) this.#remove(before);
    if (after) {
      const book = this.#bookOf(after);
      book.splice(position(book, after), 0, after);
    }
  }

  /** Offers that sell one asset for another, best price first. */
  book(selling: string, buying: string): readonly Offer[] {
    return this.#books.get(pairKey(selling, buying)) ?? [];
  }

  /** The pairs of assets that have offers. */
  pairs(): { selling: string; buying: string }[] {
    return [...this.#books.values()].flatMap(([best]) =>
      best ? [{ selling: best.selling, buying: best.buying }] : [],
    );
  }

  #bookOf(offer: Offer): Offer[] {
    const key = marketOf(offer);
    const book = this.#books.get(key) ?? [];
    this.#books.set(key, book);
    return book;
  }

  #remove(offer: Offer): void {
    const book = this.#bookOf(offer);
    book.splice(position(book, offer), 1);
    if (book.length === 0) this.#books.delete(marketOf(offer));
  }
}

/** The index of an offer in its book, or the index at which to insert the offer. Searches by bisection. */
function position(book: readonly Offer[], offer: Offer): number {
  let low = 0;
  let high = book.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareOffers(book[middle] as Offer, offer) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
