import type { DashboardModule } from '../app/dashboard-module.ts';

/** Payouts: the list, one payout, batches from a CSV file, and recipients. */
export const payouts: DashboardModule = {
  pages: [
    { path: '/payouts', title: 'Payouts', tag: 'pay-payouts-page', load: () => import('./payouts-page.ts') },
    { path: '/payouts/:id', title: 'Payout', tag: 'pay-payout-page', load: () => import('./payout-page.ts') },
  ],
  navigation: [{ label: 'Payouts', icon: 'payouts', path: '/payouts', group: 'main', order: 45 }],
};
