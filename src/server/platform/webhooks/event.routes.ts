import { Type } from 'typebox';
import {
  Delivery,
  Event,
  type EventType,
  matchesType,
  RedeliverEvent,
  TestWebhookEndpoint,
  TriggerEvent,
} from '../../../api/event.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../db/database.ts';
import { type EventRow, eventToWire, listEvents, requireEvent } from '../events/event.store.ts';
import { recordEvents } from '../events/outbox.ts';
import { type Caller, callerOf, scopeOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import { listAnswer, parseListQuery } from '../http/list.ts';
import { type DeliveryRow, deliveryToWire, insertDeliveries, listDeliveries } from './delivery.store.ts';
import { deliverySweep } from './delivery.ts';
import { findEndpoint, listeningEndpoints } from './endpoint.store.ts';
import type { EventRouteDeps } from './event-deps.ts';
import { registerEventStreamRoutes } from './event-stream.routes.ts';

const tags = ['Events'];
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Routes that read, stream, resend and simulate events. */
export function registerEventRoutes(app: HttpApp, deps: EventRouteDeps): void {
  registerReads(app, deps);
  registerEventDeliveries(app, deps);
  registerRedelivery(app, deps);
  registerEventStreamRoutes(app, deps);
  registerSampleRoutes(app, deps);
}

const ListEventsQuery = Type.Object({
  ...ListQuery.properties,
  type: Type.Optional(Type.String({ maxLength: 60, description: 'A type, or a family such as `payment.*`.' })),
  resource: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Id of the object that the events are about. Its events are sorted by `sequence`, newest first.',
    }),
  ),
});

function registerReads(app: HttpApp, deps: EventRouteDeps): void {
  const config = { access: 'secret', scope: 'events:read' } as const;
  app.get(
    '/v1/events',
    {
      schema: { querystring: ListEventsQuery, response: { 200: ListOf(Event) }, tags, summary: 'List events' },
      config,
    },
    async request => {
      const { query } = request;
      if (query.type !== undefined) deps.events.checkPattern(query.type, 'type');
      const page = await listEvents(deps.db, scopeOf(callerOf(request)), parseListQuery(query), query);
      return listAnswer('/v1/events', page, eventToWire);
    },
  );
  app.get(
    '/v1/events/:id',
    { schema: { params, response: { 200: Event }, tags, summary: 'Read an event' }, config },
    async request => eventToWire(await requireEvent(deps.db, scopeOf(callerOf(request)), request.params.id)),
  );
}

function registerEventDeliveries(app: HttpApp, deps: EventRouteDeps): void {
  app.get(
    '/v1/events/:id/deliveries',
    {
      schema: {
        params,
        querystring: ListQuery,
        response: { 200: ListOf(Delivery) },
        tags,
        summary: 'List deliveries of an event',
      },
      config: { access: 'secret', scope: 'webhooks:read' },
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      const { id } = await requireEvent(deps.db, scope, request.params.id);
      const page = await listDeliveries(deps.db, { ...scope, event_id: id }, parseListQuery(request.query));
      return listAnswer(`/v1/events/${id}/deliveries`, page, deliveryToWire);
    },
  );
}

function registerRedelivery(app: HttpApp, deps: EventRouteDeps): void {
  app.post(
    '/v1/events/:id/redeliver',
    {
      schema: {
        params,
        body: RedeliverEvent,
        response: { 200: ListOf(Delivery) },
        tags,
        summary: 'Deliver an event again',
        description:
          'Sends it with the same `webhook-id` to one endpoint, or to all that subscribe to it. The response lists the new deliveries.',
      },
      config: { access: 'secret', scope: 'events:write' },
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, execution =>
        execution.commit(async tx => {
          const rows = await redeliver(tx, callerOf(request), request.params.id, request.body?.endpoint);
          const page = { rows, hasMore: false };
          return {
            status: 200,
            body: listAnswer(`/v1/events/${request.params.id}/redeliver`, page, deliveryToWire),
            resourceId: request.params.id,
          };
        }),
      );
      deps.wake(deliverySweep);
      return sent;
    },
  );
}

async function redeliver(
  tx: Tx,
  caller: Caller,
  eventId: string,
  endpointId: string | undefined,
): Promise<DeliveryRow[]> {
  const scope = scopeOf(caller);
  const event = await requireEvent(tx, scope, eventId);
  const endpoints = await redeliveryTargets(tx, scope, event.type, endpointId);
  return await insertDeliveries(
    tx,
    endpoints.map(id => ({ event, endpointId: id, now: caller.now })),
  );
}

async function redeliveryTargets(
  tx: Tx,
  scope: ReturnType<typeof scopeOf>,
  type: string,
  endpointId: string | undefined,
): Promise<string[]> {
  if (endpointId === undefined) {
    const listening = await listeningEndpoints(tx, scope, type);
    if (listening.length > 0) return listening;
    throw new PayError('illegal_state', `No enabled webhook endpoint subscribes to ${type}.`);
  }
  const endpoint = await findEndpoint(tx, scope, endpointId, 'endpoint');
  if (endpoint.status === 'enabled') return [endpoint.id];
  throw new PayError('illegal_state', 'The webhook endpoint is disabled. Enable it first.', { param: 'endpoint' });
}

/** Registers the calls that create sample events, so that developers can test webhooks. */
function registerSampleRoutes(app: HttpApp, deps: EventRouteDeps): void {
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
        description: 'Test mode only. The event is listed, streamed and delivered like any other, with `sample: true`.',
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
        description:
          'Only this endpoint receives the event, with `sample: true`. List the endpoint’s deliveries to see the result.',
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
          if (type === undefined) throw new Error(`endpoint ${endpoint.id} subscribes to no known event type`);
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
