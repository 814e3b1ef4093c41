import type { LedgerView } from '../../core/ledger.ts';
import type { ClaimableBalance, LiquidityPool, Offer } from '../../core/state/entries.ts';
import { closingTimes } from '../../history/read-history.store.ts';
import type { StellarDb } from '../../tables.ts';
import {
  isAfter,
  numericCursor,
  type ObjectAnswer,
  type PageAnswer,
  type PageQuery,
  type PageRecord,
  pageOf,
} from '../http/page.ts';
import { invalidField, notFound } from '../http/problem.ts';
import {
  assetInParts,
  assetList,
  assetParameter,
  type HorizonRequest,
  positiveNumber,
  requireAccount,
} from '../http/request.ts';
import type { Fields } from '../records/fields.ts';
import { balanceRecord, offerRecord, poolRecord } from '../records/ledger-entries.ts';

/** Answers about offers, liquidity pools and claimable balances. Reads only close times from the database. */
export function marketAnswers(db: StellarDb) {
  const pages = {
    offers: async (view, request, page) => offerRecords(db, request, offersPage(findOffers(view, request), page)),
    accountOffers: async (view, request, page) => {
      const offers = view.offersOf(requireAccount(request, 'account_id'));
      return await offerRecords(db, request, offersPage(offers, page));
    },
    pools: async (view, request, page) => {
      const byId = (a: LiquidityPool, b: LiquidityPool) => (a.id < b.id ? -1 : 1);
      const found = pageOf(findPools(view, request), page, byId, ({ id }) => isAfter(id, page.cursor, page.order));
      return await poolRecords(db, request, found);
    },
    claimableBalances: async (view, request, page) => balanceRecords(db, request, balancesPage(view, request, page)),
  } satisfies Record<string, PageAnswer>;
  const objects = {
    offer: async (view, request) => {
      const id = positiveNumber(request.text('offer_id'));
      if (id === null) throw invalidField('offer_id', 'Offer ID must be an integer higher than 0');
      const found = [...view.all().offers].filter(offer => offer.id === id);
      return only(await offerRecords(db, request, found));
    },
    pool: async (view, request) => {
      const pool = view.pool(request.text('liquidity_pool_id'));
      return only(await poolRecords(db, request, pool === null ? [] : [pool]));
    },
    claimableBalance: async (view, request) => {
      const id = request.text('claimable_balance_id');
      if (!/^[0-9a-f]{72}$/.test(id)) throw invalidField('id', `${id.slice(0, 80)} does not validate`);
      return only(await balanceRecords(db, request, view.claimableBalances({ id })));
    },
  } satisfies Record<string, ObjectAnswer>;
  return { pages, objects };
}

function only(records: readonly PageRecord[]): Fields {
  const [record] = records;
  if (record === undefined) throw notFound();
  return record.body;
}

function findOffers(view: LedgerView, request: HorizonRequest): readonly Offer[] {
  const seller = request.account('seller');
  const sponsor = request.account('sponsor');
  const selling = assetParameter(request, 'selling') ?? assetInParts(request, 'selling_');
  const buying = assetParameter(request, 'buying') ?? assetInParts(request, 'buying_');
  return [...view.all().offers].filter(
    offer =>
      (seller === null || offer.seller === seller) &&
      (sponsor === null || offer.sponsor === sponsor) &&
      (selling === null || offer.selling === selling) &&
      (buying === null || offer.buying === buying),
  );
}

function offersPage(offers: readonly Offer[], page: PageQuery): readonly Offer[] {
  const cursor = numericCursor(page);
  return pageOf(
    offers,
    page,
    (a, b) => (a.id < b.id ? -1 : 1),
    ({ id }) => isAfter(id, cursor, page.order),
  );
}

function findPools(view: LedgerView, request: HorizonRequest): readonly LiquidityPool[] {
  const reserves = assetList(request, 'reserves');
  if (reserves.length > 2) throw invalidField('reserves', 'reserves exceeds maximum length of 2');
  const account = request.account('account');
  const held = account === null ? null : new Set(view.trustlines(account).map(({ asset }) => asset));
  return view
    .pools()
    .filter(pool => reserves.every(asset => asset === pool.assetA || asset === pool.assetB))
    .filter(pool => held === null || held.has(pool.id));
}

/** A page of claimable balances. They are ordered by the ledger of their last change, then by id. */
function balancesPage(view: LedgerView, request: HorizonRequest, page: PageQuery): readonly ClaimableBalance[] {
  const asset = assetParameter(request, 'asset');
  const sponsor = request.account('sponsor');
  const claimant = request.account('claimant');
  const candidates = claimant === null ? view.all().claimableBalances : view.claimableBalances({ claimant });
  const found = [...candidates].filter(
    balance => (asset === null || balance.asset === asset) && (sponsor === null || balance.sponsor === sponsor),
  );
  const cursor = balanceCursor(page);
  return pageOf(
    found,
    page,
    (a, b) => (tokenOf(a) < tokenOf(b) ? -1 : 1),
    row => isAfter(tokenOf(row), cursor, page.order),
  );
}

const tokenOf = ({ lastModified, id }: ClaimableBalance) => tokenText(lastModified, id);

function tokenText(ledger: number, id: string): string {
  return `${String(ledger).padStart(10, '0')}-${id}`;
}

function balanceCursor({ cursor }: PageQuery): string {
  if (cursor === '') return '';
  const match = /^(\d{1,10})-([0-9a-f]{72})$/.exec(cursor);
  if (match !== null) return tokenText(Number(match[1]), match[2] ?? '');
  throw invalidField(
    'cursor',
    'The first part should be a number higher than 0 and the second part should be a valid claimable balance ID',
  );
}

type Modified<Row> = Row & { readonly lastModified: number };

/** The records of entries, with the close times of the ledgers that last changed them. */
async function withTimes<Row>(
  db: StellarDb,
  rows: readonly Modified<Row>[],
  show: (row: Modified<Row>, modifiedAt: Date | null) => Fields,
): Promise<readonly PageRecord[]> {
  const times = await closingTimes(
    db,
    rows.map(({ lastModified }) => lastModified),
  );
  return rows.map(row => {
    const body = show(row, times.get(row.lastModified) ?? null);
    return { pagingToken: String(body['paging_token']), body };
  });
}

const offerRecords = (db: StellarDb, { links }: HorizonRequest, offers: readonly Offer[]) =>
  withTimes(db, offers, (offer, modifiedAt) => offerRecord(offer, modifiedAt, links));

const poolRecords = (db: StellarDb, { links }: HorizonRequest, pools: readonly LiquidityPool[]) =>
  withTimes(db, pools, (pool, modifiedAt) => poolRecord(pool, modifiedAt, links));

const balanceRecords = (db: StellarDb, { links }: HorizonRequest, balances: readonly ClaimableBalance[]) =>
  withTimes(db, balances, (balance, modifiedAt) => balanceRecord(balance, modifiedAt, links));
