import { type AttentionItem, Overview, OverviewQuery } from '../../api/dashboard/report.ts';
import { type AttentionSource, mostCounted } from '../platform/db/attention.ts';
import type { Db } from '../platform/db/database.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { readFigures, readMoney } from './figures.store.ts';
import { overviewOf, periodOf } from './overview.ts';

export interface ReportDeps {
  readonly db: Db;
  readonly attention: Readonly<Record<string, AttentionSource>>;
}

/** `GET /v1/reports/overview`: the figures of the dashboard's first page. */
export function registerOverviewRoute(app: HttpApp, deps: ReportDeps): void {
  app.get(
    '/v1/reports/overview',
    {
      schema: {
        querystring: OverviewQuery,
        response: { 200: Overview },
        tags: ['Reports'],
        summary: 'Read the figures of a period',
        description:
          'Volume over time, by method and by asset, counts by status, the success rate, settled and waiting money, and ' +
          'what waits for a person. The figures change in the transaction of each payment’s change, so they are exact.',
      },
      config: { access: 'secret', scope: 'reports:read' },
    },
    async request => {
      const caller = callerOf(request);
      const scope = scopeOf(caller);
      const period = periodOf(request.query, caller.now, caller.merchant.timezone);
      const [figures, money, attention] = await Promise.all([
        readFigures(deps.db, scope, period),
        readMoney(deps.db, scope),
        readAttention(deps, scope),
      ]);
      return {
        ...overviewOf(period, figures, money),
        attention,
        livemode: caller.livemode,
        generated_at: caller.now.toISOString(),
      };
    },
  );
}

async function readAttention({ db, attention }: ReportDeps, scope: MerchantScope): Promise<AttentionItem[]> {
  const sources = Object.entries(attention);
  const counts = await Promise.all(sources.map(([, source]) => source.count(db, scope)));
  return sources.flatMap(([kind, { url }], index) => {
    const count = counts[index] ?? 0;
    if (count === 0) return [];
    return [{ kind, count: Math.min(count, mostCounted), has_more: count > mostCounted, url }];
  });
}
