import { Type } from 'typebox';
import {
  CreateWebhookEndpoint,
  Delivery,
  DeliveryDetails,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
} from '../../../api/event.ts';
import { Deleted, ListOf, ListQuery } from '../../../api/schema.ts';
import { addSeconds } from '../../../core/clock.ts';
import { newId } from '../../../core/id.ts';
import { findEvent } from '../events/event.store.ts';
import { callerOf, scopeOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import { listAnswer, parseListQuery } from '../http/list.ts';
import { assertAllowedUrl } from './address-guard.ts';
import { deliveryDetailsToWire, deliveryToWire, listDeliveries, readDelivery } from './delivery.store.ts';
import {
  checkPatterns,
  deleteEndpoint,
  endpointToWire,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  newWebhookSecret,
  rotateSecret,
  rotationSeconds,
  updateEndpoint,
} from './endpoint.store.ts';
import type { EventRouteDeps } from './event-deps.ts';

const tags = ['Webhooks'];
const reading = { access: 'secret', scope: 'webhooks:read' } as const;
const writing = { access: 'secret', scope: 'webhooks:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const deliveryId = Type.String({
  maxLength: 64,
  description: 'Id of a delivery.',
  examples: ['del_8GKYqrTwjUPD8ILPZIo2La'],
});
const path = '/v1/webhook-endpoints';

/** The calls under `/v1/webhook-endpoints`, except sending a test. */
export function registerEndpointRoutes(app: HttpApp, deps: EventRouteDeps): void {
  registerCreate(app, deps);
  registerReads(app, deps);
  registerDelivery(app, deps);
  registerChanges(app, deps);
  registerRotation(app, deps);
}

function registerCreate(app: HttpApp, deps: EventRouteDeps): void {
  app.post(
    path,
    {
      schema: {
        body: CreateWebhookEndpoint,
        response: { 201: WebhookEndpoint },
        tags,
        summary: 'Add a webhook endpoint',
        description:
          'Only this response shows `secret`, which signs the deliveries. A repetition with the same Idempotency-Key lacks ' +
          'it and has the header `Pay-Secret-Omitted: secret`.',
      },
      config: { ...writing, shownOnce: 'secret' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const { url, description = null, metadata = {} } = request.body;
        const caller = callerOf(request);
        const events = checkPatterns(deps.events, request.body.events);
        await assertAllowedUrl(url, { ...deps, livemode: caller.livemode }, deps.resolve);
        const secret = newWebhookSecret();
        const id = newId('webhookEndpoint');
        const sealed = deps.secrets.seal(secret);
        const endpoint = {
          ...scopeOf(caller),
          id,
          url,
          events,
          description,
          metadata,
          secret: sealed,
          now: caller.now,
        };
        return await execution.commit(async tx => ({
          status: 201,
          body: endpointToWire(await insertEndpoint(tx, endpoint), secret),
          location: `${path}/${id}`,
          resourceId: id,
        }));
      }),
  );
}

function registerReads(app: HttpApp, deps: EventRouteDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: ListQuery,
        response: { 200: ListOf(WebhookEndpoint) },
        tags,
        summary: 'List webhook endpoints',
      },
      config: reading,
    },
    async request => {
      const page = await listEndpoints(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query));
      return listAnswer(path, page, row => endpointToWire(row));
    },
  );
  app.get(
    `${path}/:id`,
    {
      schema: { params, response: { 200: WebhookEndpoint }, tags, summary: 'Read a webhook endpoint' },
      config: reading,
    },
    async request => endpointToWire(await findEndpoint(deps.db, scopeOf(callerOf(request)), request.params.id)),
  );
  app.get(
    `${path}/:id/deliveries`,
    {
      schema: {
        params,
        querystring: Type.Object({ ...ListQuery.properties, status: Type.Optional(Delivery.properties.status) }),
        response: { 200: ListOf(Delivery) },
        tags,
        summary: 'List deliveries to an endpoint',
      },
      config: reading,
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      const { id } = await findEndpoint(deps.db, scope, request.params.id);
      const asked = parseListQuery(request.query);
      const page = await listDeliveries(deps.db, { ...scope, endpoint_id: id }, asked, request.query.status);
      return listAnswer(`${path}/${id}/deliveries`, page, deliveryToWire);
    },
  );
}

function registerDelivery(app: HttpApp, deps: EventRouteDeps): void {
  app.get(
    `${path}/:id/deliveries/:delivery`,
    {
      schema: {
        params: Type.Object({ ...params.properties, delivery: deliveryId }),
        response: { 200: DeliveryDetails },
        tags,
        summary: 'Read a delivery with its attempts',
        description:
          'What each attempt sent and got. The signature is left out: each attempt is signed with the secrets of its time.',
      },
      config: reading,
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      const { id, delivery } = request.params;
      const row = await readDelivery(deps.db, scope, id, delivery);
      return deliveryDetailsToWire(row, await findEvent(deps.db, scope, row.event_id));
    },
  );
}

function registerChanges(app: HttpApp, deps: EventRouteDeps): void {
  app.patch(
    `${path}/:id`,
    {
      schema: {
        params,
        body: UpdateWebhookEndpoint,
        response: { 200: WebhookEndpoint },
        tags,
        summary: 'Change a webhook endpoint',
      },
      config: writing,
    },
    async request => {
      const caller = callerOf(request);
      const { url, events } = request.body;
      if (url !== undefined) await assertAllowedUrl(url, { ...deps, livemode: caller.livemode }, deps.resolve);
      const row = await updateEndpoint(deps.db, scopeOf(caller), request.params.id, {
        ...request.body,
        ...(events === undefined ? {} : { events: checkPatterns(deps.events, events) }),
      });
      return endpointToWire(row);
    },
  );
  app.delete(
    `${path}/:id`,
    {
      schema: { params, response: { 200: Deleted }, tags, summary: 'Delete a webhook endpoint' },
      config: writing,
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      await deps.db.transaction().execute(tx => deleteEndpoint(tx, scope, request.params.id));
      return { id: request.params.id, object: 'webhook_endpoint', deleted: true as const };
    },
  );
}

function registerRotation(app: HttpApp, deps: EventRouteDeps): void {
  app.post(
    `${path}/:id/rotate-secret`,
    {
      schema: {
        params,
        response: { 200: WebhookEndpoint },
        tags,
        summary: 'Rotate the signing secret',
        description:
          'The response shows the new `secret`. For 24 hours, deliveries are also signed with the old one. A repetition ' +
          'with the same Idempotency-Key lacks it and has the header `Pay-Secret-Omitted: secret`.',
      },
      config: { ...writing, shownOnce: 'secret' },
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        const secret = newWebhookSecret();
        const rotation = { secret: deps.secrets.seal(secret), until: addSeconds(caller.now, rotationSeconds) };
        return execution.commit(async tx => {
          const row = await rotateSecret(tx, scopeOf(caller), request.params.id, rotation);
          return { status: 200, body: endpointToWire(row, secret), resourceId: row.id };
        });
      }),
  );
}
