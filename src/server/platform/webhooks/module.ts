import * as eventSchemas from '../../../api/event.ts';
import { registerEventRoutes } from '../events/event.routes.ts';
import type { EventRouteDeps } from '../events/event-deps.ts';
import { defineModule, schemasIn } from '../module.ts';
import { findOverdueDeliveries } from './delivery.store.ts';
import { registerEndpointRoutes } from './endpoint.routes.ts';
import { createWebhookSweeps, type WebhookDeps } from './webhooks.ts';

/** Events, and their delivery to merchants. */
export const webhooks = defineModule<EventRouteDeps & WebhookDeps>({
  name: 'webhooks',
  tables: ['events', 'webhook_endpoints', 'webhook_deliveries'],
  schemas: schemasIn(eventSchemas),
  scopes: ['events', 'webhooks'],
  tags: {
    Webhooks: 'Where events are sent, signed as Standard Webhooks describe.',
    Events: 'What happened to your objects, in order.',
  },
  routes: (app, deps) => {
    registerEndpointRoutes(app, deps);
    registerEventRoutes(app, deps);
  },
  sweeps: createWebhookSweeps,
  overdue: { webhook: findOverdueDeliveries },
});
