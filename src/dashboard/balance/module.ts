import type { DashboardModule } from '../app/dashboard-module.ts';

/** The balance: sums, entries, statements, top-ups, withdrawals, and money without a payment. */
export const balance: DashboardModule = {
  pages: [
    { path: '/balance', title: 'Balance', tag: 'pay-balance-page', load: () => import('./balance-page.ts') },
    {
      path: '/balance/unmatched',
      title: 'Unmatched money',
      tag: 'pay-unmatched-page',
      load: () => import('./unmatched-page.ts'),
    },
  ],
  navigation: [{ label: 'Balance', icon: 'balance', path: '/balance', group: 'money', order: 10 }],
  search: [
    { label: 'Unmatched money', words: 'transfers assign return reference', path: '/balance/unmatched' },
    { label: 'Statements', words: 'camt csv bookkeeping export', path: '/balance' },
  ],
};
