import type { Overview, OverviewQuery } from '../dashboard/report.ts';
import type { ApiRequest } from '../dashboard/request.ts';
import type { SearchParameters, SearchResult } from '../dashboard/search.ts';
import type { TaxReport, TaxReportQuery } from '../invoice/tax-report.ts';
import { type ListParams, listOf, type Page, withParams } from '../pages.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.reports`: figures over many payments or invoices. */
export function reports(transport: Transport) {
  const { get } = verbs(transport);
  return {
    /** The figures of a period. Default: the last 30 days. */
    overview: (query: OverviewQuery = {}, options?: Options) => {
      const given = new URLSearchParams({ ...query }).toString();
      return get<Overview>(given === '' ? '/v1/reports/overview' : `/v1/reports/overview?${given}`, options);
    },
    /** The taxes of invoices and credit notes issued from the day `from` to the day `to`. */
    taxes: (query: TaxReportQuery, options?: Options) =>
      get<TaxReport>(withParams('/v1/reports/taxes', query), options),
  };
}

/** `client.search`: objects of every kind, or of one `type`, by a text such as an id, an e-mail address or a hash. */
export function search(transport: Transport) {
  const { get } = verbs(transport);
  return (query: string | SearchParameters, options?: Options) => {
    const given = typeof query === 'string' ? { q: query } : query;
    return get<Page<SearchResult>>(`/v1/search?${new URLSearchParams(given)}`, options);
  };
}

/** `client.requests`: the logged API calls of the last 30 days. */
export function requests(transport: Transport) {
  const { get } = verbs(transport);
  return {
    retrieve: (id: string, options?: Options) => get<ApiRequest>(`/v1/requests/${pathId(id)}`, options),
    list: (params?: ListParams, options?: Options) => listOf<ApiRequest>(transport, '/v1/requests', params, options),
  };
}
