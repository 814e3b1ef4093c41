import { Type } from 'typebox';
import { CreateWithdrawal, Withdrawal } from '../../api/balance/withdrawal.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { findWithdrawal, listWithdrawals } from './balance.store.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { createWithdrawal, planWithdrawal } from './withdrawal.service.ts';
import { withdrawalToWire } from './withdrawal.view.ts';

const tags = ['Balance'];
const url = '/v1/balance/withdrawals';

/** `/v1/balance/withdrawals`: a withdrawal pays balance out to a Stellar account, by default the merchant's own. */
export function registerWithdrawalRoutes(app: HttpApp, deps: BalanceMoveDeps): void {
  registerCreation(app, deps);
  const config = { access: 'secret', scope: 'balance:read' } as const;
  app.get(
    url,
    {
      schema: { querystring: ListQuery, response: { 200: ListOf(Withdrawal) }, tags, summary: 'List withdrawals' },
      config,
    },
    async request => {
      const page = await listWithdrawals(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query));
      return listAnswer(url, page, withdrawalToWire);
    },
  );
  app.get(
    `${url}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Withdrawal },
        tags,
        summary: 'Read a withdrawal',
      },
      config,
    },
    async request => {
      const row = await findWithdrawal(deps.db, scopeOf(callerOf(request)), request.params.id);
      if (row !== null) return withdrawalToWire(row);
      throw new PayError('resource_missing', `No withdrawal ${request.params.id} exists.`, { param: 'id' });
    },
  );
}

function registerCreation(app: HttpApp, deps: BalanceMoveDeps): void {
  app.post(
    url,
    {
      schema: {
        body: CreateWithdrawal,
        response: { 201: Withdrawal },
        tags,
        summary: 'Withdraw money from the balance',
        description:
          'Pays to `destination`, by default the account’s `settlement.stellar_address`. Assets are paid without ' +
          'conversion; currencies are converted to the settlement asset at the market rate. The amount is reserved at ' +
          'once, and released if the withdrawal fails.',
      },
      config: { access: 'secret', scope: 'balance:write' },
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const plan = await planWithdrawal(deps, caller, request.body);
        return await execution.commit(async tx => {
          const body = withdrawalToWire(await createWithdrawal(deps, tx, caller, plan));
          return { status: 201, body, location: `${url}/${body.id}`, resourceId: body.id };
        });
      });
      deps.outbound.wake();
      return sent;
    },
  );
}
