import type { DashboardModule } from '../app/dashboard-module.ts';

/** Invoices: the list, the editor, and one invoice with its money, mails and what one can do. */
export const invoices: DashboardModule = {
  pages: [
    { path: '/invoices', title: 'Invoices', tag: 'pay-invoices-page', load: () => import('./invoices-page.ts') },
    {
      path: '/invoices/new',
      title: 'New invoice',
      tag: 'pay-invoice-editor',
      load: () => import('./invoice-editor.ts'),
    },
    {
      ...{ path: '/invoices/:id/edit', title: 'Edit draft', tag: 'pay-invoice-editor' },
      load: () => import('./invoice-editor.ts'),
    },
    { path: '/invoices/:id', title: 'Invoice', tag: 'pay-invoice-page', load: () => import('./invoice-page.ts') },
  ],
  navigation: [{ label: 'Invoices', icon: 'invoices', path: '/invoices', group: 'main', order: 40 }],
};
