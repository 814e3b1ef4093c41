import type { DashboardModule } from '../app/dashboard-module.ts';

/** Settlement: where the money of payments goes, and the payouts of settlements in a currency. */
export const settlement: DashboardModule = {
  pages: [
    {
      path: '/settings/settlement',
      title: 'Settlement',
      tag: 'pay-settlement-setup-page',
      load: () => import('./settlement-setup-page.ts'),
    },
    {
      path: '/balance/settlements',
      title: 'Settlements',
      tag: 'pay-settlements-page',
      load: () => import('./settlements-page.ts'),
    },
    {
      path: '/balance/settlements/:id',
      title: 'Settlement',
      tag: 'pay-settlement-page',
      load: () => import('./settlement-page.ts'),
    },
  ],
  search: [
    {
      label: 'Settlement',
      words: 'stellar address asset usdc currency bank account iban daily payout',
      path: '/settings/settlement',
    },
    { label: 'Settlements', words: 'next payout bank paid returned', path: '/balance/settlements' },
  ],
  events: { 'settlement.kept': ['Settlement kept in the balance', 'plain'] },
  attention: {
    settlements_without_route: [
      'settlement without a way to pay it',
      'settlements without a way to pay them',
      '/balance/settlements?status=open',
    ],
    settlements_failed_payout: [
      'settlement to send again',
      'settlements to send again',
      '/balance/settlements?status=failed',
    ],
    settlements_returned_payout: [
      'settlement came back',
      'settlements came back',
      '/balance/settlements?status=returned',
    ],
  },
  objects: { set: '/balance/settlements/', sdest: '/settings/settlement' },
};
