import { SearchParameters, SearchResult } from '../../api/dashboard/search.ts';
import { ListOf } from '../../api/schema.ts';
import { isEmail } from '../../core/email.ts';
import type { Db } from '../platform/db/database.ts';
import type { Found, PageId, SearchSource } from '../platform/db/search.ts';
import { type Caller, callerOf, mayRead, scopeOf } from '../platform/http/access/caller.ts';
import { everybody, type Scopes } from '../platform/http/access/roles.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Secrets } from '../platform/secrets.ts';

export interface SearchDeps {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly searches: readonly SearchSource[];
  readonly scopes: Scopes;
  readonly pageIds: Readonly<Record<string, PageId>>;
}

const path = '/v1/search';

/** Maximum number of results of each kind. */
const mostOfEach = 5;
/** Maximum number of results when the request names one kind. */
const mostOfOne = 20;

/** `GET /v1/search`: finds objects of all kinds by a text such as an id, a name or a reference. */
export function registerSearchRoute(app: HttpApp, deps: SearchDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: SearchParameters,
        response: { 200: ListOf(SearchResult) },
        tags: ['Search'],
        summary: 'Find objects of every kind',
        description:
          'At most five objects of each kind, or 20 of one `type`. Kinds that the key or the person may not read are left out.',
      },
      config: { access: 'secret', roles: everybody },
    },
    async request => {
      const caller = callerOf(request);
      const found = await find(deps, caller, request.query);
      const data = found.map(each => ({ object: 'search_result' as const, ...each }));
      return { object: 'list' as const, url: path, has_more: false, data };
    },
  );
}

async function find(deps: SearchDeps, caller: Caller, { q, type }: SearchParameters) {
  const { db, secrets, searches, scopes } = deps;
  const scope = scopeOf(caller);
  const given = q.replaceAll('\0', '').trim();
  const text = idInAddress(deps, given) ?? given;
  if (text === '') return [] as Found[];
  const customerId = isEmail(text) ? secrets.customerId(scope.merchantId, scope.livemode, text) : null;
  const query = { ...scope, text, customerId, most: type === undefined ? mostOfEach : mostOfOne };
  const allowed = searches.filter(
    source => (type === undefined || source.type === type) && mayRead(scopes, caller, source.scope),
  );
  return (await Promise.all(allowed.map(source => source.find(db, query)))).flat();
}

/** The id of the object whose hosted page has this URL, or null. */
function idInAddress({ secrets, pageIds }: SearchDeps, text: string): string | null {
  const [, page = '', token = ''] = /^https?:\/\/[^/]+\/(\w+)\/([^/?#]+)/.exec(text) ?? [];
  const idOf = Object.hasOwn(pageIds, page) ? pageIds[page] : undefined;
  return idOf?.(token, secrets) ?? null;
}
