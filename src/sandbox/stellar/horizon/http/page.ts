import type { LedgerView } from '../../core/ledger.ts';
import type { Fields } from '../records/fields.ts';
import { invalidField } from './problem.ts';
import { type HorizonRequest, largestNumber } from './request.ts';

/** A requested page of a list. */
export interface PageQuery {
  /** The page starts after this paging token. Empty: the first page. */
  readonly cursor: string;
  readonly order: 'asc' | 'desc';
  /** The maximum number of records in the page, 1 … 200. */
  readonly limit: number;
}

export interface PageRecord {
  readonly pagingToken: string;
  readonly body: Fields;
}

/** A function that answers a request for a list. */
export type PageAnswer = (
  view: LedgerView,
  request: HorizonRequest,
  page: PageQuery,
) => Promise<readonly PageRecord[]> | readonly PageRecord[];

/** A function that answers a request for an object. */
export type ObjectAnswer = (view: LedgerView, request: HorizonRequest) => Promise<Fields> | Fields;

const defaultLimit = 10;
const largestLimit = 200;

/**
 * Reads `cursor`, `order` and `limit`. `lastEventId` is the position of a resumed stream. `afterAll` is the paging
 * token that replaces the cursor `now`.
 */
export function readPageQuery(request: HorizonRequest, lastEventId: string, afterAll: string): PageQuery {
  const asked = request.text('cursor');
  const cursor = lastEventId || (asked === 'now' ? afterAll : asked);
  if (/^-\d+$/.test(cursor)) throw invalidField('cursor', `the cursor ${cursor} is a negative number: `);
  const order = request.text('order') || 'asc';
  if (order !== 'asc' && order !== 'desc') throw invalidField('order', 'order: invalid value');
  return { cursor, order, limit: readLimit(request, defaultLimit) };
}

export function readLimit(request: HorizonRequest, standard: number): number {
  const text = request.text('limit');
  if (text === '') return standard;
  if (!/^-?\d{1,18}$/.test(text)) throw invalidField('limit', 'unparseable value');
  const limit = Number(text);
  if (limit <= 0) throw invalidField('limit', 'invalid limit: non-positive value provided');
  if (limit > largestLimit) {
    throw invalidField('limit', `invalid limit: value provided that is over limit max of ${largestLimit}`);
  }
  return limit;
}

/** The cursor as a number, for a list that is ordered by number. An empty cursor becomes the start of the list. */
export function numericCursor({ cursor, order }: PageQuery): bigint {
  if (cursor === '') return order === 'asc' ? 0n : largestNumber;
  if (!/^\d{1,19}$/.test(cursor) || BigInt(cursor) > largestNumber) throw invalidField('cursor', 'invalid value');
  return BigInt(cursor);
}

/** The page of a list in memory. */
export function pageOf<Row>(
  rows: readonly Row[],
  page: PageQuery,
  compare: (a: Row, b: Row) => number,
  isAfterCursor: (row: Row) => boolean,
): readonly Row[] {
  const sorted = [...rows].sort(page.order === 'asc' ? compare : (a, b) => compare(b, a));
  return (page.cursor === '' ? sorted : sorted.filter(isAfterCursor)).slice(0, page.limit);
}

/** Whether `token` comes after `cursor` in the page’s order. */
export function isAfter<T extends bigint | string>(token: T, cursor: T, order: PageQuery['order']): boolean {
  return order === 'asc' ? token > cursor : token < cursor;
}

/** The body of a page, with links to the page itself and to the adjacent pages. */
export function pageBody(request: HorizonRequest, page: PageQuery, records: readonly PageRecord[]): Fields {
  const opposite = page.order === 'asc' ? 'desc' : 'asc';
  const last = records.at(-1)?.pagingToken ?? page.cursor;
  const first = records[0]?.pagingToken ?? page.cursor;
  return {
    _links: {
      self: pageLink(request, page.cursor, page.order, page.limit),
      next: pageLink(request, last, page.order, page.limit),
      prev: pageLink(request, first, opposite, page.limit),
    },
    _embedded: { records: records.map(({ body }) => body) },
  };
}

function pageLink({ links, path, query }: HorizonRequest, cursor: string, order: string, limit: number): Fields {
  const search = new URLSearchParams(query);
  search.set('cursor', cursor);
  search.set('order', order);
  search.set('limit', String(limit));
  search.sort();
  return { href: `${links.base}${path}?${search}` };
}
