import { type DashboardModule, withRight } from '../app/dashboard-module.ts';

/** Payouts: the list, one payout, sending one, batches from a CSV file, and recipients. */
export const payouts: DashboardModule = {
  pages: [
    { path: '/payouts', title: 'Payouts', tag: 'pay-payouts-page', load: () => import('./payouts-page.ts') },
    { path: '/payouts/new', title: 'Send money', tag: 'pay-send-page', load: () => import('./send/send-page.ts') },
    { path: '/payouts/batches', title: 'Batches', tag: 'pay-batches-page', load: () => import('./batches-page.ts') },
    {
      path: '/payouts/batches/new',
      title: 'Pay many',
      tag: 'pay-new-batch-page',
      load: () => import('./new-batch-page.ts'),
    },
    { path: '/payouts/batches/:id', title: 'Batch', tag: 'pay-batch-page', load: () => import('./batch-page.ts') },
    {
      path: '/recipients',
      title: 'Recipients',
      tag: 'pay-recipients-page',
      load: () => import('./recipients/recipients-page.ts'),
    },
    {
      path: '/recipients/new',
      title: 'New recipient',
      tag: 'pay-new-recipient-page',
      load: () => import('./recipients/new-recipient-page.ts'),
    },
    {
      path: '/recipients/:id',
      title: 'Recipient',
      tag: 'pay-recipient-page',
      load: () => import('./recipients/recipient-page.ts'),
    },
    { path: '/payouts/:id', title: 'Payout', tag: 'pay-payout-page', load: () => import('./payout-page.ts') },
  ],
  navigation: [
    { label: 'Payouts', icon: 'payouts', path: '/payouts', group: 'main', order: 45 },
    { label: 'Recipients', icon: 'recipients', path: '/recipients', group: 'main', order: 46 },
  ],
  search: [
    {
      label: 'Send money',
      words: 'payout pay supplier transfer single',
      path: '/payouts/new',
      isFor: withRight('money'),
    },
    {
      label: 'Pay many',
      words: 'payouts batch csv bulk wages',
      path: '/payouts/batches/new',
      isFor: withRight('money'),
    },
    {
      label: 'New recipient',
      words: 'payee supplier employee bank account',
      path: '/recipients/new',
      isFor: withRight('money'),
    },
  ],
  events: {
    'payout.created': ['Payout accepted', 'plain'],
    'payout.queued': ['Waits to be sent', 'plain'],
    'payout.on_hold': ['Payout on hold', 'warn'],
    'payout.processing': ['Being sent', 'busy'],
    'payout.sent': ['Payout sent', 'busy'],
    'payout.canceled': ['Payout canceled', 'plain'],
    'payout_batch.completed': ['Batch of payouts ended', 'good'],
    'payout.completed': ['Payout completed', 'good'],
    'payout.failed': ['Payout failed', 'bad', 'loud'],
    'payout.partially_returned': ['Payout partially returned', 'bad'],
    'payout.returned': ['Payout returned', 'bad', 'loud'],
  },
  objects: { po: '/payouts/', pbat: '/payouts/batches/' },
  attention: {
    payouts_on_hold: ['payout on hold', 'payouts on hold', '/payouts?status=on_hold'],
    payout_batches_to_approve: [
      'batch of payouts to approve',
      'batches of payouts to approve',
      '/payouts/batches?status=awaiting_approval',
    ],
  },
};
