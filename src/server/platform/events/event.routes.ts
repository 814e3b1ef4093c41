import { Type } from 'typebox';
import { Delivery, Event, RedeliverEvent } from '../../../api/event.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../db/database.ts';
import { type Caller, callerOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import { listAnswer, parseListQuery } from '../http/list.ts';
import { type DeliveryRow, deliveryToWire, insertDeliveries } from '../webhooks/delivery.store.ts';
import { deliverySweep } from '../webhooks/delivery.ts';
import { findEndpoint, listeningEndpoints } from '../webhooks/endpoint.store.ts';
import { eventToWire, listEvents, requireEvent } from './event.store.ts';
import { type EventRouteDeps, scopeOf } from './event-deps.ts';
import { registerEventStreamRoutes } from './event-stream.routes.ts';
import { registerSampleRoutes } from './sample.routes.ts';

const tags = ['Events'];
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Reading and following events, sending one again, and making samples. */
export function registerEventRoutes(app: HttpApp, deps: EventRouteDeps): void {
  registerReads(app, deps);
  registerRedelivery(app, deps);
  registerEventStreamRoutes(app, deps);
  registerSampleRoutes(app, deps);
}

const ListEventsQuery = Type.Object({
  ...ListQuery.properties,
  type: Type.Optional(Type.String({ maxLength: 60, description: 'A type, or a family such as `payment.*`.' })),
  resource: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the object the events tell of.' })),
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
          'Under the same `webhook-id`, to one endpoint or to all that listen. The answer lists the new deliveries.',
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
    throw new PayError('illegal_state', `No enabled webhook endpoint listens to ${type}.`);
  }
  const endpoint = await findEndpoint(tx, scope, endpointId, 'endpoint');
  if (endpoint.status === 'enabled') return [endpoint.id];
  throw new PayError('illegal_state', 'The webhook endpoint is disabled. Enable it first.', { param: 'endpoint' });
}
