import { type DashboardModule, withRight } from '../app/dashboard-module.ts';

/** Payouts: the list, one payout, and batches from a CSV file. */
export const payouts: DashboardModule = {
  pages: [
    { path: '/payouts', title: 'Payouts', tag: 'pay-payouts-page', load: () => import('./payouts-page.ts') },
    { path: '/payouts/batches', title: 'Batches', tag: 'pay-batches-page', load: () => import('./batches-page.ts') },
    {
      path: '/payouts/batches/new',
      ...{ title: 'Pay many', tag: 'pay-new-batch-page', load: () => import('./new-batch-page.ts') },
    },
    { path: '/payouts/batches/:id', title: 'Batch', tag: 'pay-batch-page', load: () => import('./batch-page.ts') },
    { path: '/payouts/:id', title: 'Payout', tag: 'pay-payout-page', load: () => import('./payout-page.ts') },
  ],
  navigation: [{ label: 'Payouts', icon: 'payouts', path: '/payouts', group: 'main', order: 45 }],
  search: [
    {
      label: 'Pay many',
      words: 'payouts batch csv bulk wages',
      path: '/payouts/batches/new',
      isFor: withRight('money'),
    },
  ],
};
