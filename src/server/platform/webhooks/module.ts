import * as eventSchemas from '../../../api/event.ts';
import { attentionIn } from '../db/attention.ts';
import { searchIn } from '../db/search.ts';
import { createPartitionSweep } from '../events/event.store.ts';
import { eventErasure } from '../events/event-erasure.store.ts';
import type { Live } from '../events/live.ts';
import { dispatchSweep } from '../events/outbox.ts';
import { developers, everybody } from '../http/access/roles.ts';
import type { Sweep } from '../jobs/sweeper.ts';
import { defineModule, schemasIn } from '../module.ts';
import type { Secrets } from '../secrets.ts';
import { createResolve, type Resolve } from './address-guard.ts';
import { createDeliverer, type DelivererDeps } from './deliverer.ts';
import { deliverySearch, dispatchEvents, findOverdueDeliveries, undispatched } from './delivery.store.ts';
import { deliverySweep } from './delivery.ts';
import { registerEndpointRoutes } from './endpoint.routes.ts';
import { registerEventRoutes } from './event.routes.ts';
import type { EventRouteDeps } from './event-deps.ts';
import { fieldNotes, requestExamples } from './field-notes.ts';
import { createSender } from './sender.ts';

/** Events, and their delivery to merchants. */
export const webhooks = defineModule<EventRouteDeps & WebhookDeps, { services: { resolve: Resolve } }>({
  name: 'webhooks',
  provides: { resolve: createResolve },
  erasures: () => [eventErasure],
  tables: ['events', 'webhook_endpoints', 'webhook_deliveries'],
  schemas: schemasIn(eventSchemas),
  fieldNotes,
  requestExamples,
  scopes: { events: { read: everybody, write: developers }, webhooks: { read: developers, write: developers } },
  attention: {
    webhook_endpoints_disabled: attentionIn(
      'webhook_endpoints',
      { disabled_reason: ['gone', 'failing'] },
      '/v1/webhook-endpoints',
    ),
  },
  tags: {
    Webhooks: 'Addresses that receive your events, signed according to Standard Webhooks.',
    Events: 'Changes of your objects, in order.',
  },
  search: [
    searchIn('events', {
      kind: 'event',
      type: 'event',
      path: '/v1/events',
      scope: 'events:read',
      show: row => ({ title: row.type, subtitle: row.resource_id, parent: row.resource_id }),
    }),
    searchIn('webhook_endpoints', {
      kind: 'webhookEndpoint',
      type: 'webhook_endpoint',
      path: '/v1/webhook-endpoints',
      scope: 'webhooks:read',
      show: row => ({ title: row.url, subtitle: row.status }),
    }),
    deliverySearch,
  ],
  routes: (app, deps) => {
    registerEndpointRoutes(app, deps);
    registerEventRoutes(app, deps);
  },
  sweeps: createWebhookSweeps,
  overdue: { webhook: findOverdueDeliveries },
});

interface WebhookDeps
  extends Pick<EventRouteDeps, 'db' | 'clock' | 'resolve' | 'allowLoopback' | 'allowedNetworks' | 'ownUrl' | 'wake'>,
    Pick<DelivererDeps, 'log' | 'onDisabled'> {
  readonly secrets: Pick<Secrets, 'open'>;
  /** Notifies of changes in any process. Their events are then dispatched at once. */
  readonly live: Pick<Live, 'subscribeToAll'>;
  readonly options?: Partial<WebhookOptions>;
}

/** Limits and times. Tests use smaller values. */
export interface WebhookOptions extends Pick<DelivererDeps, 'leaseSeconds' | 'limits' | 'random'> {
  readonly timeoutMs: number;
}

const defaults: WebhookOptions = {
  timeoutMs: 15_000,
  leaseSeconds: 20,
  limits: { total: 64, slowAfterMs: 2_000, ceiling: 512, perEndpoint: 4, perFailingEndpoint: 1 },
  random: Math.random,
};

/** The sweeps that deliver events to merchants. */
export function createWebhookSweeps(deps: WebhookDeps): readonly Sweep[] {
  const options = { ...defaults, ...deps.options };
  deps.live.subscribeToAll(notice => {
    if (notice === null || notice.dispatches) deps.wake(dispatchSweep);
  });
  const sender = createSender({ ...deps, timeoutMs: options.timeoutMs });
  return [createDispatch(deps), createDeliverer({ ...deps, ...options, sender }), createPartitionSweep(deps.db)];
}

const batchSize = 200;

/**
 * Creates deliveries in the transaction that marks their events as dispatched. Each event is therefore dispatched
 * exactly once.
 */
function createDispatch({ db, clock, wake }: WebhookDeps): Sweep {
  return {
    name: dispatchSweep,
    due: [undispatched],
    run: async () => {
      const done = await db.transaction().execute(tx => dispatchEvents(tx, batchSize, clock.now()));
      if (done.deliveries > 0) wake(deliverySweep);
      return done.events;
    },
  };
}
