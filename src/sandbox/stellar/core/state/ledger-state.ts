import type { Account, ClaimableBalance, DataEntry, LedgerHeader, LiquidityPool, Offer, Trustline } from './entries.ts';
import { EntryTable, Journal } from './entry-table.ts';
import { pairKey } from './identifiers.ts';
import { OrderBooks } from './order-book.ts';

/** The key of a trust line in its table. */
export const lineKey = pairKey;

/** The key of a data entry in its table. */
export const dataKey = (account: string, name: string): string => `${account} ${name}`;

/** All entries of a ledger, its header, and what is needed to find entries otherwise than by key. */
export class LedgerState {
  readonly journal = new Journal();
  readonly books = new OrderBooks();
  readonly #linesByAccount = new EntryIndex();
  readonly #offersByAccount = new EntryIndex();
  readonly #dataByAccount = new EntryIndex();
  readonly #balancesByParty = new EntryIndex();

  readonly accounts = new EntryTable<Account>(this.journal);
  readonly lines = new EntryTable<Trustline>(this.journal, (before, after) => {
    follow(
      this.#linesByAccount,
      before,
      after,
      line => [line.account],
      line => lineKey(line.account, line.asset),
    );
  });
  readonly offers = new EntryTable<Offer>(this.journal, (before, after) => {
    this.books.follow(before, after);
    follow(
      this.#offersByAccount,
      before,
      after,
      offer => [offer.seller],
      offer => String(offer.id),
    );
  });
  readonly data = new EntryTable<DataEntry>(this.journal, (before, after) => {
    follow(
      this.#dataByAccount,
      before,
      after,
      entry => [entry.account],
      entry => dataKey(entry.account, entry.name),
    );
  });
  readonly balances = new EntryTable<ClaimableBalance>(this.journal, (before, after) => {
    follow(
      this.#balancesByParty,
      before,
      after,
      balance => balance.claimants.map(party => party.destination),
      balance => balance.id,
    );
  });
  readonly pools = new EntryTable<LiquidityPool>(this.journal);
  /** Who pays an account’s reserves at the moment (CAP-33); empty between transactions. */
  readonly sponsorships = new EntryTable<string>(this.journal);
  /** For how many accounts an account pays at the moment; empty between transactions. */
  readonly sponsorshipCounts = new EntryTable<number>(this.journal);
  /** While a ledger with merges closes: the highest sequence each source will use in it (CAP-21). */
  readonly sequencesToCome = new Map<string, bigint>();
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

  /** Trust lines of an account, pool shares among them. */
  linesOf(account: string): Trustline[] {
    return rows(this.#linesByAccount.of(account), this.lines);
  }

  offersOf(account: string): Offer[] {
    return rows(this.#offersByAccount.of(account), this.offers);
  }

  dataOf(account: string): DataEntry[] {
    return rows(this.#dataByAccount.of(account), this.data);
  }

  /** Claimable balances that an account may claim. */
  balancesFor(claimant: string): ClaimableBalance[] {
    return rows(this.#balancesByParty.of(claimant), this.balances);
  }
}

function rows<Row>(keys: Iterable<string>, table: EntryTable<Row>): Row[] {
  const found: Row[] = [];
  for (const key of keys) {
    const row = table.get(key);
    if (row !== undefined) found.push(row);
  }
  return found;
}

/** Groups and key of an entry never change while it lives, so only its coming and going matters. */
function follow<Row>(
  index: EntryIndex,
  before: Row | undefined,
  after: Row | undefined,
  groups: (row: Row) => readonly string[],
  key: (row: Row) => string,
): void {
  if (before !== undefined && after === undefined) for (const group of groups(before)) index.remove(group, key(before));
  if (before === undefined && after !== undefined) for (const group of groups(after)) index.add(group, key(after));
}

/** Keys of rows grouped by something else than their own key; groups that become empty vanish. */
class EntryIndex {
  readonly #groups = new Map<string, Set<string>>();

  add(group: string, key: string): void {
    const keys = this.#groups.get(group);
    if (keys) keys.add(key);
    else this.#groups.set(group, new Set([key]));
  }

  remove(group: string, key: string): void {
    const keys = this.#groups.get(group);
    if (keys?.delete(key) && keys.size === 0) this.#groups.delete(group);
  }

  of(group: string): Iterable<string> {
    return this.#groups.get(group) ?? [];
  }
}
