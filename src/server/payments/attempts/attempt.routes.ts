import { Type } from 'typebox';
import { PaymentAttempt } from '../../../api/payments/attempt.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { type AttemptRow, listAttempts } from './attempt.store.ts';

/** `GET /v1/payments/:id/attempts`. */
export function registerAttemptRoute(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments/:id/attempts',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        querystring: ListQuery,
        response: { 200: ListOf(PaymentAttempt) },
        tags: ['Payments'],
        summary: 'List the attempts to charge a card or to collect from a phone',
      },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const { id } = await readPayment(deps, caller, request.params.id);
      const page = await listAttempts(deps.db, { ...scopeOf(caller), paymentId: id }, parseListQuery(request.query));
      return listAnswer(`/v1/payments/${id}/attempts`, page, attemptToWire);
    },
  );
}

/** The attempt in its wire form. */
export function attemptToWire(row: AttemptRow): PaymentAttempt {
  return {
    id: row.id,
    object: 'payment_attempt',
    payment: row.payment_id,
    method: row.method,
    rail: row.rail,
    amount: Number(row.amount),
    currency: row.currency,
    status: row.state,
    card: row.last4 === null ? null : { brand: row.brand, last4: row.last4 },
    number: row.number,
    code: row.code,
    message: row.message,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
