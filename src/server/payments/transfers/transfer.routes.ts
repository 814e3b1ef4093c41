import { Type } from 'typebox';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { AssignTransfer, ReturnTransfer, Transfer } from '../../../api/transfer.ts';
import { createValuer, type Valuer } from '../../approvals/approval.ts';
import { type Caller, callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { withArrivalRates } from '../arrival-quote.ts';
import { transferToWire } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { listTransfers, readTransfer } from '../transfer.store.ts';
import { assignTransfer } from './transfer-assign.service.ts';
import { returnTransfer } from './transfer-return.service.ts';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

const tags = ['Transfers'];

/** Received transfers, and the merchant's decisions about unmatched transfers. */
export function registerTransferRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/transfers',
    {
      schema: {
        querystring: Type.Object({
          ...ListQuery.properties,
          status: Type.Optional(Type.String({ maxLength: 20 })),
          payment: Type.Optional(
            Type.String({ maxLength: 60, description: 'Only transfers that arrived for this payment.' }),
          ),
        }),
        response: { 200: ListOf(Transfer) },
        tags,
        summary: 'List received transfers, with or without a payment',
      },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const scope = scopeOf(caller);
      const page = await listTransfers(deps.db, scope, request.query, parseListQuery(request.query));
      return listAnswer('/v1/transfers', page, transferToWire);
    },
  );
  registerAssignment(app, deps);
  registerReturn(app, deps);
}

function registerAssignment(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/transfers/:id/assign',
    {
      schema: {
        params,
        body: AssignTransfer,
        response: { 200: Transfer },
        tags,
        summary: 'Assign a transfer to a payment',
        description: 'The transfer must be unmatched, in an asset or currency that was quoted for the payment.',
      },
      config: { access: 'secret', scope: 'payments:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const payment = await readPayment(deps, caller, request.body.payment_id, 'payment_id');
        const assignment = { transferId: request.params.id, paymentId: payment.id };
        return await withArrivalRates(deps, rates =>
          execution.commit(async tx => {
            const transfer = await assignTransfer(deps, tx, caller, { ...assignment, rates });
            rates.assertComplete();
            return { status: 200, body: transferToWire(transfer) };
          }),
        );
      }),
  );
}

function registerReturn(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/transfers/:id/return',
    {
      schema: {
        params,
        body: ReturnTransfer,
        response: { 200: Transfer },
        tags,
        summary: 'Return a transfer that fits no payment',
        description:
          'The whole amount goes back to the sender, or to `destination`. The transfer is `returning` until the rail has sent it.',
      },
      config: { access: 'secret', scope: 'payments:write' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { id } = request.params;
      const sent = await deps.once(request, reply, async execution => {
        const valuer = request.body?.destination === undefined ? null : await valuerOf(deps, caller, id);
        return await execution.commit(async tx => ({
          status: 200,
          body: transferToWire(await returnTransfer(deps, tx, caller, id, request.body, valuer)),
        }));
      });
      deps.outbound.wake();
      return sent;
    },
  );
}

/** Only a return to a named destination can need another person. */
async function valuerOf(deps: PaymentRouteDeps, caller: Caller, id: string): Promise<Valuer | null> {
  const transfer = await readTransfer(deps.db, scopeOf(caller), id);
  return await createValuer(deps, caller.merchant, transfer === null ? [] : [transfer.currency]);
}
