import { Type } from 'typebox';
import { CreateRefund, Refund } from '../../../api/refund.ts';
import { Currency, ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { createValuer } from '../../approvals/approval.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { lockPayment } from '../payment.store.ts';
import { refundToWire } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import type { RefundRow } from '../tables.ts';
import { startRefund } from './refund.service.ts';
import { findRefund, listRefunds } from './refund.store.ts';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['Refunds'];

const reading = { access: 'secret', scope: 'payments:read' } as const;

/** `/v1/payments/:id/refunds`: the refunds of a payment; `/v1/refunds`: the refunds of all payments. */
export function registerRefundRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  registerRefundsOfPayment(app, deps);
  registerRefundReads(app, deps);
}

function registerRefundsOfPayment(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/refunds',
    {
      schema: { params, body: CreateRefund, response: { 201: Refund }, tags, summary: 'Give money back' },
      config: { access: 'secret', scope: 'payments:write' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { id: paymentId } = request.params;
      const work = async (execution: Execution) => {
        const { currency } = await readPayment(deps, caller, paymentId);
        const { merchant, now } = caller;
        const hasLimit = merchant.payoutApprovalAmount !== null;
        const valuer = hasLimit ? await createValuer(deps, merchant, [currency]) : null;
        return await execution.commit(async tx => {
          const payment = await lockPayment(tx, { merchantId: merchant.id, paymentId });
          const start = { payment, request: request.body, asking: { caller, valuer }, now };
          return madeRefund(deps, await startRefund(tx, deps, start));
        });
      };
      const sent = await deps.once(request, reply, work, 'with_write');
      deps.outbound.wake();
      return sent;
    },
  );
  const lists = { params, querystring: ListQuery, response: { 200: ListOf(Refund) }, tags };
  app.get(
    '/v1/payments/:id/refunds',
    { schema: { ...lists, summary: 'List refunds of a payment' }, config: reading },
    async request => {
      const caller = callerOf(request);
      const { id } = await readPayment(deps, caller, request.params.id);
      const scope = { ...scopeOf(caller), paymentId: id };
      const page = await listRefunds(deps.db, scope, parseListQuery(request.query));
      return listAnswer(`/v1/payments/${id}/refunds`, page, row => refundToWire(deps, row));
    },
  );
}

function madeRefund(deps: PaymentRouteDeps, refund: RefundRow) {
  const location = `/v1/refunds/${refund.id}`;
  return { status: 201, body: refundToWire(deps, refund), location, resourceId: refund.id };
}

const ListRefundsQuery = Type.Object({
  ...ListQuery.properties,
  status: Type.Optional(Refund.properties.status),
  payment: Type.Optional(Type.String({ maxLength: 64, description: 'A payment’s id.' })),
  currency: Type.Optional(Currency),
  requires_destination: Type.Optional(
    Type.Boolean({ description: 'Whether the refund waits for the payer’s destination.' }),
  ),
});

function registerRefundReads(app: HttpApp, deps: PaymentRouteDeps): void {
  const lists = { querystring: ListRefundsQuery, response: { 200: ListOf(Refund) }, tags };
  app.get('/v1/refunds', { schema: { ...lists, summary: 'List refunds' }, config: reading }, async request => {
    const { status, payment, currency, requires_destination: isWaiting } = request.query;
    const equal = {
      ...(status !== undefined && { status }),
      ...(payment !== undefined && { payment_id: payment }),
      ...(currency !== undefined && { currency: currency.toUpperCase() }),
    };
    const filters = { equal, ...(isWaiting !== undefined && { isWaiting }) };
    const page = await listRefunds(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query), filters);
    return listAnswer('/v1/refunds', page, row => refundToWire(deps, row));
  });
  app.get(
    '/v1/refunds/:id',
    { schema: { params, response: { 200: Refund }, tags, summary: 'Read a refund' }, config: reading },
    async request => {
      const { id } = request.params;
      const { merchantId, livemode } = scopeOf(callerOf(request));
      const found = await findRefund(deps.db, merchantId, id);
      if (found?.refund.livemode === livemode) return refundToWire(deps, found.refund);
      const message = `No refund ${id.slice(0, 64)} exists. Check the id and the mode of the key.`;
      throw new PayError('resource_missing', message, { param: 'id' });
    },
  );
}
