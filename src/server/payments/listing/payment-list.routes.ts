import { Type } from 'typebox';
import { Payment } from '../../../api/payment.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { metadataFilters } from '../../platform/http/metadata-filter.ts';
import { listPayments } from '../payment.store.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { filtersOf, paymentFilters } from './payment-filters.ts';
import { readingsFor } from './payment-reading.ts';

const ListPaymentsQuery = Type.Object({ ...ListQuery.properties, ...paymentFilters }, metadataFilters);

/** `GET /v1/payments`. */
export function registerPaymentListRoute(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments',
    {
      schema: {
        querystring: ListPaymentsQuery,
        response: { 200: ListOf(Payment) },
        tags: ['Payments'],
        summary: 'List payments',
      },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const scope = scopeOf(caller);
      const { query } = request;
      const page = await listPayments(deps.db, scope, filtersOf(deps, scope, query), parseListQuery(query));
      return listAnswer('/v1/payments', page, await readingsFor(deps, caller, page.rows));
    },
  );
}
