import type { DashboardModule } from '../app/dashboard-module.ts';

/** Customers: the list, and one customer with payments and invoices. */
export const customers: DashboardModule = {
  pages: [
    { path: '/customers', title: 'Customers', tag: 'pay-customers-page', load: () => import('./customers-page.ts') },
    { path: '/customers/:id', title: 'Customer', tag: 'pay-customer-page', load: () => import('./customer-page.ts') },
  ],
  navigation: [{ label: 'Customers', icon: 'customers', path: '/customers', group: 'main', order: 50 }],
};
