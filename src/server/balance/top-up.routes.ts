import { Type } from 'typebox';
import { CreateTopUp, TopUp } from '../../api/balance/top-up.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { createTopUp, planTopUp } from './top-up.service.ts';
import { findTopUp, listTopUps } from './top-up.store.ts';
import { topUpToWire } from './top-up.view.ts';

const tags = ['Balance'];
const url = '/v1/balance/top-ups';

/** `/v1/balance/top-ups`: instructions for adding money to the merchant's balance. */
export function registerTopUpRoutes(app: HttpApp, deps: BalanceMoveDeps): void {
  app.post(
    url,
    {
      schema: {
        body: CreateTopUp,
        response: { 201: TopUp },
        tags,
        summary: 'Add money to the balance',
        description:
          'Returns where to send the money: a Stellar address for this top-up only, or a bank account with a reference. ' +
          'All money that arrives there is added to the available balance, at any time.',
      },
      config: { access: 'secret', scope: 'balance:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const plan = await planTopUp(deps, caller, request.body);
        return await execution.commit(async tx => {
          const body = await createTopUp(deps, tx, caller, plan);
          return { status: 201, body, location: `${url}/${body.id}`, resourceId: body.id };
        });
      }),
  );
  registerTopUpReads(app, deps);
}

function registerTopUpReads(app: HttpApp, deps: BalanceMoveDeps): void {
  const config = { access: 'secret', scope: 'balance:read' } as const;
  app.get(
    url,
    {
      schema: { querystring: ListQuery, response: { 200: ListOf(TopUp) }, tags, summary: 'List top-ups' },
      config,
    },
    async request => {
      const caller = callerOf(request);
      const page = await listTopUps(deps.db, scopeOf(caller), parseListQuery(request.query));
      return listAnswer(url, page, row => topUpToWire({ ...deps, merchant: caller.merchant }, row));
    },
  );
  app.get(
    `${url}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: TopUp },
        tags,
        summary: 'Read a top-up',
      },
      config,
    },
    async request => {
      const caller = callerOf(request);
      const row = await findTopUp(deps.db, scopeOf(caller), request.params.id);
      if (row !== null) return topUpToWire({ ...deps, merchant: caller.merchant }, row);
      throw new PayError('resource_missing', `No top-up ${request.params.id} exists.`, { param: 'id' });
    },
  );
}
