import { Type } from 'typebox';
import { CreateRampQuote, RampQuote } from '../../api/ramps/ramp.ts';
import { PayError } from '../../core/error.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { prepareQuote } from './quote.service.ts';
import { findQuote } from './ramp.store.ts';
import { quoteToWire } from './ramp.view.ts';
import type { RampDeps } from './ramp-deps.ts';

const url = '/v1/ramps/quotes';
const tags = ['Ramps'];

/** `/v1/ramps/quotes`: firm prices of coins. */
export function registerQuoteRoutes(app: HttpApp, deps: RampDeps): void {
  app.post(
    url,
    {
      schema: {
        body: CreateRampQuote,
        response: { 201: RampQuote },
        tags,
        summary: 'Price a purchase of coins',
        description:
          'Give exactly one of `sell.amount` and `buy.amount`. The price is firm until `expires_at`, the account’s ' +
          '`quote_seconds` from now, and the coins are reserved. One ramp may use it. Without enough coins, the answer ' +
          'is `no_liquidity`. With a publishable key, the coins are reserved when the ramp begins.',
      },
      config: { access: 'create', scope: 'ramps:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const quote = await prepareQuote(deps, callerOf(request), request.body);
        return await execution.commit(async tx => {
          const body = quoteToWire(await quote(tx));
          return { status: 201, body, location: `${url}/${body.id}`, resourceId: body.id };
        });
      }),
  );
  app.get(
    `${url}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: RampQuote },
        tags,
        summary: 'Read a quote for a ramp',
      },
      config: { access: 'secret', scope: 'ramps:read' },
    },
    async request => {
      const { id } = request.params;
      const row = await findQuote(deps.db, scopeOf(callerOf(request)), id);
      if (row !== null) return quoteToWire(row);
      throw new PayError('resource_missing', `No quote ${id.slice(0, 64)} exists. Check the id.`, { param: 'id' });
    },
  );
}
