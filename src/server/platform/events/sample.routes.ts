import { Type } from 'typebox';
import { Delivery, Event, type EventType, TestWebhookEndpoint, TriggerEvent } from '../../../api/event.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../db/database.ts';
import { type Caller, callerOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import { deliveryToWire, insertDeliveries } from '../webhooks/delivery.store.ts';
import { deliverySweep } from '../webhooks/delivery.ts';
import { findEndpoint, matchesType } from '../webhooks/endpoint.store.ts';
import { type EventRow, eventToWire, requireEvent } from './event.store.ts';
import { type EventRouteDeps, scopeOf } from './event-deps.ts';
import { recordEvents } from './outbox.ts';

/** Events on request, to try webhooks with. They are marked `sample`. */
export function registerSampleRoutes(app: HttpApp, deps: EventRouteDeps): void {
  registerTrigger(app, deps);
  registerEndpointTest(app, deps);
}

function registerTrigger(app: HttpApp, deps: EventRouteDeps): void {
  app.post(
    '/v1/test_helpers/events',
    {
      schema: {
        body: TriggerEvent,
        response: { 201: Event },
        tags: ['Test helpers'],
        summary: 'Trigger a sample event',
        description: 'Test mode only. It is listed, streamed and delivered like any other, with `sample: true`.',
      },
      config: { access: 'test', scope: 'events:write' },
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const { type } = request.body;
        return execution.commit(async tx => {
          const event = await recordSample(tx, deps, callerOf(request), { type, dispatched: false });
          return { status: 201, body: eventToWire(event), location: `/v1/events/${event.id}`, resourceId: event.id };
        });
      }),
  );
}

function registerEndpointTest(app: HttpApp, deps: EventRouteDeps): void {
  app.post(
    '/v1/webhook-endpoints/:id/test',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        body: TestWebhookEndpoint,
        response: { 200: Delivery },
        tags: ['Webhooks'],
        summary: 'Send a sample event to an endpoint',
        description: 'To this endpoint alone, marked `sample: true`. Ask for its deliveries to see what became of it.',
      },
      config: { access: 'secret', scope: 'webhooks:write' },
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, execution =>
        execution.commit(async tx => {
          const caller = callerOf(request);
          const endpoint = await findEndpoint(tx, scopeOf(caller), request.params.id);
          if (endpoint.status !== 'enabled') {
            throw new PayError('illegal_state', 'The webhook endpoint is disabled. Enable it first.');
          }
          const type = request.body?.type ?? deps.events.types.find(known => matchesType(endpoint.events, known));
          if (type === undefined) throw new Error(`endpoint ${endpoint.id} listens to no known event`);
          const event = await recordSample(tx, deps, caller, { type, dispatched: true });
          const [delivery] = await insertDeliveries(tx, [{ event, endpointId: endpoint.id, now: caller.now }]);
          if (delivery === undefined) throw new Error('the delivery was not written');
          return { status: 200, body: deliveryToWire(delivery), resourceId: delivery.id };
        }),
      );
      deps.wake(deliverySweep);
      return sent;
    },
  );
}

async function recordSample(
  tx: Tx,
  deps: EventRouteDeps,
  caller: Caller,
  { type, dispatched }: { readonly type: string; readonly dispatched: boolean },
): Promise<EventRow> {
  const sample = deps.events.find(type).sample({ caller, publicUrl: deps.publicUrl() });
  const id = newId('event');
  const scope = scopeOf(caller);
  const event = { ...scope, ...sample, id, type: type as EventType, sequence: 1, now: caller.now };
  await recordEvents(tx, [{ ...event, sample: { dispatched } }]);
  return await requireEvent(tx, scope, id);
}
