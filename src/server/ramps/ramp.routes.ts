import { Type } from 'typebox';
import { CreatedRamp, CreateRamp, CreateRampRefund, CustomerRamp, Ramp, RampStatus } from '../../api/ramps/ramp.ts';
import { Refund } from '../../api/refund.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { refundToWire } from '../payments/payment.view.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { createdView, rampFor, sessionSecrets } from './access/ramp-session.ts';
import { assertCalm, type RampStarts } from './access/ramp-starts.ts';
import { rampSweep } from './purchases/deliver.service.ts';
import { listRamps } from './ramp.store.ts';
import { rampToWire } from './ramp.view.ts';
import { prepareAcceptance, prepareCancel, prepareRefund, readRamp } from './ramp-actions.service.ts';
import { prepareRamp } from './ramp-create.service.ts';
import type { RampDeps } from './ramp-deps.ts';

const url = '/v1/ramps';
const tags = ['Ramps'];
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const reading = { access: 'secret', scope: 'ramps:read' } as const;
const writing = { access: 'secret', scope: 'ramps:write' } as const;
const customerReads = { access: 'ramp', scope: 'ramps:read' } as const;
const customerActs = { access: 'ramp', scope: 'ramps:write' } as const;

/** `/v1/ramps`: customers buy coins with money. */
export function registerRampRoutes(app: HttpApp, deps: RampDeps & RampStarts): void {
  registerCreation(app, deps);
  registerReads(app, deps);
  registerEnds(app, deps);
  registerRefunds(app, deps);
}

function registerCreation(app: HttpApp, deps: RampDeps & RampStarts): void {
  app.post(
    url,
    {
      schema: {
        body: CreateRamp,
        response: { 201: CreatedRamp },
        tags,
        summary: 'Begin a ramp',
        description:
          'The customer pays `payment` on `deposit.checkout_url`, or in `<pay-checkout>`. Once the money is here, the coins ' +
          'go to `wallet`. If a limit asks for an identity check, the ramp is `incomplete` until the customer has passed ' +
          'it; then it begins by itself. With a publishable key, `customer` has an e-mail address, which is only a ' +
          'claim: an identity check that another session began does not count. A network address may begin 20 ramps at once, ' +
          'then 10 a minute.',
      },
      config: { access: 'create', scope: 'ramps:write', derives: sessionSecrets(deps) },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        assertCalm(deps, request);
        const create = await prepareRamp(deps, caller, request.body);
        return await execution.commit(async tx => {
          const row = await create(tx);
          const body = createdView(deps, caller, row);
          return { status: 201, body, location: `${url}/${row.id}`, resourceId: row.id };
        });
      }),
  );
}

function registerReads(app: HttpApp, deps: RampDeps): void {
  const querystring = Type.Object({
    ...ListQuery.properties,
    status: Type.Optional(RampStatus),
    customer: Type.Optional(Type.String({ maxLength: 64, description: 'A customer’s id.' })),
    client_reference: Type.Optional(Type.String({ maxLength: 200, description: 'Your own name of the ramp.' })),
  });
  app.get(
    url,
    { schema: { querystring, response: { 200: ListOf(Ramp) }, tags, summary: 'List ramps' }, config: reading },
    async request => {
      const { status, customer, client_reference } = request.query;
      const equal = { status, customer_id: customer, client_reference };
      const page = await listRamps(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query), equal);
      return listAnswer(url, page, row => rampToWire(deps, row));
    },
  );
  app.get(
    `${url}/:id`,
    {
      schema: {
        params,
        response: { 200: Type.Union([Ramp, CustomerRamp]) },
        tags,
        summary: 'Read a ramp',
        description: 'With its client secret, the answer is the customer’s view.',
      },
      config: customerReads,
    },
    async request => {
      const caller = callerOf(request);
      return rampFor(deps, caller, await readRamp(deps, caller, request.params.id));
    },
  );
}

function registerEnds(app: HttpApp, deps: RampDeps): void {
  app.post(
    `${url}/:id/cancel`,
    {
      schema: {
        params,
        response: { 200: Type.Union([Ramp, CustomerRamp]) },
        tags,
        summary: 'Cancel a ramp',
        description: 'Only before the customer has paid.',
      },
      config: customerActs,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const cancel = await prepareCancel(deps, caller, request.params.id);
        return await execution.commit(async tx => ({ status: 200, body: rampFor(deps, caller, await cancel(tx)) }));
      }),
  );
  app.post(
    `${url}/:id/accept`,
    {
      schema: {
        params,
        response: { 200: Ramp },
        tags,
        summary: 'Accept the money of a ramp on hold',
        description: 'The money buys coins at the market rate of now. To give it back, refund it.',
      },
      config: writing,
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, async execution => {
        const accept = await prepareAcceptance(deps, callerOf(request), request.params.id);
        return await execution.commit(async tx => ({ status: 200, body: rampToWire(deps, await accept(tx)) }));
      });
      deps.wake(rampSweep);
      return sent;
    },
  );
}

function registerRefunds(app: HttpApp, deps: RampDeps): void {
  app.post(
    `${url}/:id/refunds`,
    {
      schema: {
        params,
        body: CreateRampRefund,
        response: { 201: Refund },
        tags,
        summary: 'Give back money of a ramp',
        description:
          'All of it, or a part: the rest buys coins. Only while no coins are on their way. It is a refund of the ramp’s ' +
          'payment.',
      },
      config: writing,
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, async execution => {
        const refund = await prepareRefund(deps, callerOf(request), request.params.id, request.body);
        return await execution.commit(async tx => {
          const row = await refund(tx);
          return {
            status: 201,
            body: refundToWire(deps, row),
            location: `/v1/refunds/${row.id}`,
            resourceId: row.id,
          };
        });
      });
      deps.outbound.wake();
      return sent;
    },
  );
}
