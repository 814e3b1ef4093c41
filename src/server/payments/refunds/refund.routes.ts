import { Type } from 'typebox';
import { CreateRefund, Refund } from '../../../api/payment.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { readPayment } from '../checkout/payment-lifecycle.service.ts';
import { lockPayment } from '../payment.store.ts';
import { refundToWire } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { startRefund } from './refund.service.ts';
import { listRefunds } from './refund.store.ts';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['Refunds'];

/** Refunds of a payment. */
export function registerRefundRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/refunds',
    {
      schema: { params, body: CreateRefund, response: { 201: Refund }, tags, summary: 'Give money back' },
      config: { access: 'secret', scope: 'payments:write' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const sent = await deps.once(request, reply, async execution => {
        const { id } = await readPayment(deps, caller, request.params.id);
        return await execution.commit(async tx => {
          const payment = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId: id });
          const refund = await startRefund(tx, deps, payment, request.body, caller.now);
          const location = `/v1/payments/${id}/refunds`;
          return { status: 201, body: refundToWire(deps, refund), location, resourceId: refund.id };
        });
      });
      deps.outbound.wake();
      return sent;
    },
  );
  const lists = { params, querystring: ListQuery, response: { 200: ListOf(Refund) }, tags };
  app.get(
    '/v1/payments/:id/refunds',
    {
      schema: { ...lists, summary: 'List refunds of a payment' },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const { id } = await readPayment(deps, caller, request.params.id);
      const scope = { merchantId: caller.merchant.id, livemode: caller.livemode, paymentId: id };
      const page = await listRefunds(deps.db, scope, parseListQuery(request.query));
      return listAnswer(`/v1/payments/${id}/refunds`, page, row => refundToWire(deps, row));
    },
  );
}
