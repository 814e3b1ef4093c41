import type { Call, CallOptions, Transport } from './client/transport.ts';

/** The query of a list: cursor, size and filters. */
export interface ListParams {
  /** Number of elements, 1 to 100. Default: 10. */
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  /** The id of a payment or payout. */
  readonly id?: string;
  /** The status of the objects. For API calls, a range of HTTP statuses. */
  readonly status?: string | Range<number>;
  /** The path of API calls. */
  readonly path?: string;
  readonly reference?: string;
  readonly customer?: string;
  readonly email?: string;
  readonly type?: string;
  /** The kind of approvals. */
  readonly kind?: string;
  /** The id of the object that an approval decides about. */
  readonly subject?: string;
  readonly country?: string;
  readonly payment?: string;
  /** The settlement that contains payments. */
  readonly settlement?: string;
  readonly recipient?: string;
  /** The payout, payout batch, top-up, withdrawal or conversion that a balance entry books. */
  readonly source?: string;
  /** An account of the ledger. */
  readonly account?: string;
  readonly resource?: string;
  readonly currency?: string;
  readonly phase?: string;
  readonly method?: string;
  readonly exception?: string;
  readonly outcome?: string;
  readonly settlement_status?: string;
  readonly payment_link?: string;
  readonly invoice?: string;
  readonly amount?: Range<number>;
  /** Days, `YYYY-MM-DD`. */
  readonly due_date?: Range<string>;
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** Times, RFC 3339. */
  readonly created_at?: Range<string>;
}

/** The bounds of a range. */
export interface Range<T> {
  readonly gt?: T;
  readonly gte?: T;
  readonly lt?: T;
  readonly lte?: T;
}

/** A page of a list. Most lists are newest first. */
export interface Page<T> {
  readonly object: 'list';
  readonly url: string;
  readonly has_more: boolean;
  readonly data: readonly T[];
}

/**
 * A list. `await` gives its first page. `for await` gives each element of all pages, and loads pages as needed. With
 * `ending_before`, the loop goes backwards, from the cursor to the first element of the list.
 */
export type PagedList<T> = Promise<Page<T>> & AsyncIterable<T>;

export function listOf<T extends { readonly id: string }>(
  transport: Transport,
  path: string,
  params: ListParams = {},
  options: CallOptions = {},
): PagedList<T> {
  const pageOf = (query: ListParams) => transport.call<Page<T>>(listCall(path, query), options);
  const first = pageOf(params);
  return Object.assign(first, { [Symbol.asyncIterator]: () => walk(first, params, pageOf) });
}

async function* walk<T extends { readonly id: string }>(
  first: Promise<Page<T>>,
  params: ListParams,
  pageOf: (query: ListParams) => Promise<Page<T>>,
): AsyncGenerator<T> {
  const backwards = params.ending_before !== undefined;
  for (let page = await first; ; ) {
    yield* backwards ? page.data.toReversed() : page.data;
    const last = backwards ? page.data[0] : page.data.at(-1);
    if (!page.has_more || last === undefined) return;
    page = await pageOf({ ...params, ...(backwards ? { ending_before: last.id } : { starting_after: last.id }) });
  }
}

function listCall(path: string, params: ListParams): Call {
  return { method: 'GET', path: withParams(path, params) };
}

/** The path with its query. A range or metadata becomes `name[key]`. */
export function withParams(path: string, params: object): string {
  const query = new URLSearchParams(parametersOf(params)).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The query parameters. For example, `{ amount: { gte: 1 } }` becomes `amount[gte]`. */
function parametersOf(params: object, within?: string): [string, string][] {
  return Object.entries(params).flatMap(([key, value]): [string, string][] => {
    const name = within === undefined ? key : `${within}[${key}]`;
    if (value === undefined) return [];
    return typeof value === 'object' ? parametersOf(value, name) : [[name, String(value)]];
  });
}
