import { Type } from 'typebox';
import { Payment, PaymentException, PaymentMethod, PaymentPhase, PaymentStatus } from '../../../api/payment.ts';
import { Currency, ListOf, ListQuery, rangeParameters, Sum } from '../../../api/schema.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery, readRange } from '../../platform/http/list.ts';
import { listPayments } from '../payment.store.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import type { PaymentOwner } from '../payment-purpose.ts';

/** The query parameter of a metadata key: `metadata[order]`. */
const metadataParameter = /^metadata\[([^[\]]{1,40})\]$/;

const ListPaymentsQuery = Type.Object(
  {
    ...ListQuery.properties,
    status: Type.Optional(PaymentStatus),
    phase: Type.Optional(PaymentPhase),
    method: Type.Optional(PaymentMethod),
    exception: Type.Optional(PaymentException),
    settlement_status: Type.Optional(Payment.properties.settlement.properties.status),
    currency: Type.Optional(Currency),
    ...rangeParameters('amount', Sum),
    payment_link: Type.Optional(Type.String({ maxLength: 64, description: 'A payment link’s id.' })),
    invoice: Type.Optional(Type.String({ maxLength: 64, description: 'An invoice’s id.' })),
    reference: Type.Optional(Type.String({ maxLength: 200 })),
    customer: Type.Optional(Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address.' })),
  },
  {
    patternProperties: {
      [metadataParameter.source]: Type.String({
        maxLength: 500,
        description: 'The value of a metadata key, as text: `metadata[order]=A-1`. Several keys must all match.',
      }),
    },
  },
);

export function registerPaymentListRoute(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments',
    {
      schema: {
        ...{ querystring: ListPaymentsQuery, response: { 200: ListOf(Payment) }, tags: ['Payments'] },
        summary: 'List payments',
      },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const scope = scopeOf(caller);
      const { query } = request;
      const {
        status,
        phase,
        method,
        exception,
        settlement_status,
        reference,
        customer,
        payment_link: link,
        invoice,
      } = query;
      const customer_id = customer?.includes('@')
        ? deps.secrets.customerId(scope.merchantId, scope.livemode, customer)
        : customer;
      const filters = {
        equal: {
          status,
          phase,
          method,
          exception,
          settlement_status,
          reference,
          customer_id,
          currency: query.currency?.toUpperCase(),
        },
        amount: readRange(query, 'amount', value => BigInt(value as number)),
        metadata: metadataIn(query),
        owners: [...ownersWith(deps, 'payment_link', link), ...ownersWith(deps, 'invoice', invoice)],
      };
      const page = await listPayments(deps.db, scope, filters, parseListQuery(query));
      return listAnswer('/v1/payments', page, row => viewFor(deps, caller, row));
    },
  );
}

/** The filter by metadata: `metadata[order]=A-1` becomes `{ order: 'A-1' }`. */
function metadataIn(query: object): Readonly<Record<string, string>> {
  const entries = Object.entries(query).flatMap(([name, value]) => {
    const key = metadataParameter.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The owner whose payments show `id` in the field. If no purpose uses the field, an owner that no payment has. */
function ownersWith(
  { purposes }: Pick<PaymentRouteDeps, 'purposes'>,
  field: 'payment_link' | 'invoice',
  id: string | undefined,
): readonly PaymentOwner[] {
  if (id === undefined) return [];
  return [{ type: purposes.find(each => each.wireFields(id)[field] === id)?.type ?? '', id }];
}
