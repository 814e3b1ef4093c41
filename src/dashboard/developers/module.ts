import { type DashboardModule, withRight } from '../app/dashboard-module.ts';

/** For developers: keys, webhook endpoints with their deliveries, events, the request log and the API explorer. */
export const developers: DashboardModule = {
  pages: [
    {
      path: '/developers',
      title: 'Developers',
      tag: 'pay-developers-page',
      load: () => import('./developers-page.ts'),
    },
    {
      path: '/developers/webhooks/:id',
      title: 'Webhook endpoint',
      tag: 'pay-webhook-page',
      load: () => import('./webhook-page.ts'),
    },
    {
      path: '/developers/webhooks/:id/deliveries/:delivery',
      title: 'Delivery',
      tag: 'pay-delivery-page',
      load: () => import('./delivery-page.ts'),
    },
    {
      path: '/developers/requests',
      title: 'Request log',
      tag: 'pay-requests-page',
      load: () => import('./requests-page.ts'),
    },
    {
      path: '/developers/explorer',
      title: 'API explorer',
      tag: 'pay-explorer-page',
      load: () => import('./explorer-page.ts'),
    },
    { path: '/developers/events', title: 'Events', tag: 'pay-events-page', load: () => import('./events-page.ts') },
  ],
  navigation: [{ label: 'Developers', icon: 'developers', path: '/developers', group: 'account', order: 10 }],
  search: [
    { label: 'API keys', words: 'secret publishable', path: '/developers', isFor: withRight('develop') },
    { label: 'Webhook endpoints', words: 'hooks deliveries', path: '/developers', isFor: withRight('develop') },
    {
      label: 'Request log',
      words: 'api calls errors refused',
      path: '/developers/requests',
      isFor: withRight('develop'),
    },
    { label: 'API explorer', words: 'run call try curl', path: '/developers/explorer', isFor: withRight('develop') },
    { label: 'Events', words: 'log history', path: '/developers/events' },
  ],
  attention: {
    webhook_endpoints_disabled: ['webhook endpoint disabled', 'webhook endpoints disabled', '/developers'],
  },
};
