import { Type } from 'typebox';
import { BalanceQuote, Conversion, CreateBalanceQuote, CreateConversion } from '../../api/balance/conversion.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { findConversion, insertQuote, listConversions } from './balance.store.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { convertBalance, priceConversion, readConversion } from './conversion.service.ts';
import { conversionToWire, quoteToWire } from './conversion.view.ts';
import { valuerOf } from './conversion-approval.service.ts';

const tags = ['Balance'];
const url = '/v1/balance/conversions';
const write = { access: 'secret', scope: 'balance:write' } as const;
const read = { access: 'secret', scope: 'balance:read' } as const;

/** `/v1/balance/quotes` and `/v1/balance/conversions`: exchanges inside the balance. */
export function registerConversionRoutes(app: HttpApp, deps: BalanceMoveDeps): void {
  registerQuotes(app, deps);
  registerConversions(app, deps);
  app.get(
    url,
    {
      schema: { querystring: ListQuery, response: { 200: ListOf(Conversion) }, tags, summary: 'List conversions' },
      config: read,
    },
    async request => {
      const page = await listConversions(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query));
      return listAnswer(url, page, conversionToWire);
    },
  );
  app.get(
    `${url}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Conversion },
        tags,
        summary: 'Read a conversion',
      },
      config: read,
    },
    async request => {
      const row = await findConversion(deps.db, scopeOf(callerOf(request)), request.params.id);
      if (row !== null) return conversionToWire(row);
      throw new PayError('resource_missing', `No conversion ${request.params.id} exists.`, { param: 'id' });
    },
  );
}

function registerQuotes(app: HttpApp, deps: BalanceMoveDeps): void {
  app.post(
    '/v1/balance/quotes',
    {
      schema: {
        body: CreateBalanceQuote,
        response: { 201: BalanceQuote },
        tags,
        summary: 'Fix a rate for a conversion',
        description: 'The market rate, without a fee, valid for 60 seconds. It reserves no money.',
      },
      config: write,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const quote = await priceConversion(deps, callerOf(request), request.body);
        return await execution.commit(async tx => {
          await insertQuote(tx, quote);
          return { status: 201, body: quoteToWire(quote), resourceId: quote.id };
        });
      }),
  );
}

function registerConversions(app: HttpApp, deps: BalanceMoveDeps): void {
  app.post(
    url,
    {
      schema: {
        body: CreateConversion,
        response: { 201: Conversion },
        tags,
        summary: 'Exchange money inside the balance',
        description: 'Uses a quote, which fixes both amounts, or the current rate.',
      },
      config: write,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const asked = await readConversion(deps, caller, request.body);
        const valuer = await valuerOf(deps, caller, asked);
        return await execution.commit(async tx => {
          const body = conversionToWire(await convertBalance(deps, tx, caller, asked, valuer));
          return { status: 201, body, location: `${url}/${body.id}`, resourceId: body.id };
        });
      }),
  );
}
