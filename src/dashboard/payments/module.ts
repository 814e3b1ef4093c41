import type { DashboardModule } from '../app/dashboard-module.ts';

/** Payments: the list with filters, and one payment's timeline with refund, capture and resolve. */
export const payments: DashboardModule = {
  pages: [
    { path: '/payments', title: 'Payments', tag: 'pay-payments-page', load: () => import('./payments-page.ts') },
    { path: '/payments/:id', title: 'Payment', tag: 'pay-payment-page', load: () => import('./payment-page.ts') },
  ],
  navigation: [{ label: 'Payments', icon: 'payments', path: '/payments', group: 'main', order: 20, isAtFoot: true }],
};
