import { Type } from 'typebox';
import { Currency, ListOf, ListQuery } from '../../../api/schema.ts';
import { Settlement, SettlementStatus } from '../../../api/settlement.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import type { FiatDeps } from './fiat-deps.ts';
import { prepareKeep } from './keep.service.ts';
import { prepareRetry, readSettlement } from './retry.service.ts';
import { listSettlements } from './settlement.store.ts';
import { answerOf, settlementsToWire } from './settlement.view.ts';

const tags = ['Settlements'];
const url = '/v1/settlements';
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const reading = { access: 'secret', scope: 'payouts:read' } as const;
const writing = { access: 'secret', scope: 'payouts:write' } as const;

/** `/v1/settlements`: payouts of completed payments to the account's `settlement.destination`. */
export function registerSettlementRoutes(app: HttpApp, deps: FiatDeps): void {
  const querystring = Type.Object({
    ...ListQuery.properties,
    status: Type.Optional(SettlementStatus),
    currency: Type.Optional(Currency),
  });
  app.get(
    url,
    {
      schema: { querystring, response: { 200: ListOf(Settlement) }, tags, summary: 'List settlements' },
      config: reading,
    },
    async request => {
      const { status, currency } = request.query;
      const equal = { status, currency: currency?.toUpperCase() };
      const page = await listSettlements(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query), equal);
      const rows = await settlementsToWire(deps, deps.db, page.rows);
      return listAnswer(url, { ...page, rows }, each => each);
    },
  );
  app.get(
    `${url}/:id`,
    { schema: { params, response: { 200: Settlement }, tags, summary: 'Read a settlement' }, config: reading },
    async request => answerOf(deps, deps.db, await readSettlement(deps, callerOf(request), request.params.id)),
  );
  registerRetry(app, deps);
  registerKeep(app, deps);
}

function registerRetry(app: HttpApp, deps: FiatDeps): void {
  app.post(
    `${url}/:id/retry`,
    {
      schema: {
        params,
        response: { 200: Settlement },
        tags,
        summary: 'Pay a settlement again',
        description:
          'Pays a failed or returned settlement from the available balance to the current `settlement.destination`. ' +
          'Above the account’s approval limit, the payout waits for another person.',
      },
      config: writing,
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, async execution => {
        const retry = await prepareRetry(deps, callerOf(request), request.params.id);
        return await execution.commit(async tx => ({ status: 200, body: await answerOf(deps, tx, await retry(tx)) }));
      });
      deps.ownedPayouts.wake();
      return sent;
    },
  );
}

function registerKeep(app: HttpApp, deps: FiatDeps): void {
  app.post(
    `${url}/:id/keep`,
    {
      schema: {
        params,
        response: { 200: Settlement },
        tags,
        summary: 'Keep a settlement in the balance',
        description:
          'Leaves the money of a failed or returned settlement in the available balance, for good. The money of an open ' +
          'settlement moves there if the account no longer has it paid out: its schedule is `manual`, or no rail pays the ' +
          'currency to its destination. Otherwise 409 `illegal_state`. Its payments then have the settlement status `none`.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const keep = await prepareKeep(deps, callerOf(request), request.params.id);
        return await execution.commit(async tx => ({ status: 200, body: await answerOf(deps, tx, await keep(tx)) }));
      }),
  );
}
