import { Type } from 'typebox';
import { RateAnswer } from '../../api/balance/rate.ts';
import { isWithdrawn, parseCurrency, readCurrency } from '../../core/currency.ts';
import { formatRate } from '../../core/rate.ts';
import { unitOf } from '../../core/unit.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Rates } from './rates.ts';

const RateQuery = Type.Object({
  from: Type.String({
    minLength: 1,
    maxLength: 70,
    description: 'A currency code, or an asset: XLM, CODE:ISSUER, a well-known code.',
  }),
  to: Type.String({ minLength: 1, maxLength: 70, description: 'As `from`.' }),
});

/** `GET /v1/rates`: the current price of one currency or asset in another. The price is not held, unlike a quote. */
export function registerRateRoutes(app: HttpApp, deps: { readonly rates: Rates }): void {
  app.get(
    '/v1/rates',
    {
      schema: { querystring: RateQuery, response: { 200: RateAnswer }, tags: ['Rates'], summary: 'Read a market rate' },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const from = readUnit(deps.rates, request.query.from, 'from');
      const to = readUnit(deps.rates, request.query.to, 'to');
      const market = await deps.rates.find(from, to);
      return {
        object: 'rate',
        from,
        to,
        rate: formatRate(market.rate, unitOf(from).decimals, unitOf(to).decimals),
        source: market.source,
        as_of: market.asOf.toISOString(),
      };
    },
  );
}

/** Reads a text as a currency, otherwise as an asset. Throws `invalid_currency` or `invalid_asset` for `param`. */
function readUnit(rates: Rates, text: string, param: string): string {
  return parseCurrency(text) !== null || isWithdrawn(text) ? readCurrency(text, param) : rates.unit(text, param);
}
