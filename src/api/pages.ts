import type { Call, CallOptions, Transport } from './client/transport.ts';

/** The query of a list (wire contract §1): cursor, size and filters. */
export interface ListParams {
  /** 1 … 100; default 10. */
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  readonly status?: string;
  readonly reference?: string;
  readonly customer?: string;
  /** Times, RFC 3339. */
  readonly created_at?: { readonly gte?: string; readonly lt?: string };
}

/** A page of a list, newest first. */
export interface Page<T> {
  readonly object: 'list';
  readonly url: string;
  readonly has_more: boolean;
  readonly data: readonly T[];
}

/**
 * A list: `await` gives its first page, `for await` each element of all pages, which load as the loop reaches them.
 * With `ending_before` the loop goes from the cursor towards the newest element.
 */
export type PagedList<T> = Promise<Page<T>> & AsyncIterable<T>;

/** Requests a list. */
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
  const { created_at: createdAt, ...rest } = params;
  const all = { ...rest, 'created_at[gte]': createdAt?.gte, 'created_at[lt]': createdAt?.lt };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return { method: 'GET', path: query === '' ? path : `${path}?${query}` };
}
