import { Type } from 'typebox';
import { RateAnswer } from '../../api/rate.ts';
import { currencyDecimals, isWithdrawn, parseCurrency, readCurrency } from '../../core/currency.ts';
import { stellarDecimals } from '../../core/money.ts';
import { formatRate } from '../../core/rate.ts';
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
      const from = unitOf(deps.rates, request.query.from, 'from');
      const to = unitOf(deps.rates, request.query.to, 'to');
      const market = await deps.rates.find(from.unit, to.unit);
      return {
        object: 'rate',
        from: from.unit,
        to: to.unit,
        rate: formatRate(market.rate, from.decimals, to.decimals),
        source: market.source,
        as_of: market.asOf.toISOString(),
      };
    },
  );
}

/** Reads a text as a currency, otherwise as an asset. Throws `invalid_currency` or `invalid_asset` for `param`. */
function unitOf(rates: Rates, text: string, param: string): { readonly unit: string; readonly decimals: number } {
  if (parseCurrency(text) !== null || isWithdrawn(text)) {
    const currency = readCurrency(text, param);
    return { unit: currency, decimals: currencyDecimals(currency) };
  }
  return { unit: rates.unit(text, param), decimals: stellarDecimals };
}
