import type { DashboardModule } from '../app/dashboard-module.ts';

/** Customers: the list, and one customer with payments, invoices and identity check. */
export const customers: DashboardModule = {
  pages: [
    { path: '/customers', title: 'Customers', tag: 'pay-customers-page', load: () => import('./customers-page.ts') },
    { path: '/customers/:id', title: 'Customer', tag: 'pay-customer-page', load: () => import('./customer-page.ts') },
    {
      path: '/identity-checks',
      title: 'Identity checks',
      tag: 'pay-kyc-page',
      load: () => import('./kyc/kyc-page.ts'),
    },
  ],
  navigation: [
    {
      label: 'Customers',
      icon: 'customers',
      path: '/customers',
      further: ['/identity-checks'],
      group: 'main',
      order: 50,
    },
  ],
  search: [
    {
      label: 'Identity checks',
      words: 'kyc review approve reject verify sanctions',
      path: '/identity-checks?status=under_review',
    },
  ],
  events: {
    'kyc.updated': ['Identity check changed', 'plain'],
    'kyc.approved': ['Customer approved', 'good'],
    'kyc.rejected': ['Customer rejected', 'bad'],
  },
  objects: { kyc: '/identity-checks' },
};
