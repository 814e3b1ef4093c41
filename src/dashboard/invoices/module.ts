import type { DashboardModule } from '../app/dashboard-module.ts';

/** Invoices: the list, the editor, one invoice with its money and actions, and recurring invoices. */
export const invoices: DashboardModule = {
  pages: [
    { path: '/invoices', title: 'Invoices', tag: 'pay-invoices-page', load: () => import('./invoices-page.ts') },
    {
      path: '/invoices/new',
      title: 'New invoice',
      tag: 'pay-invoice-editor',
      load: () => import('./editor/invoice-editor.ts'),
    },
    {
      path: '/invoices/:id/edit',
      title: 'Edit draft',
      tag: 'pay-invoice-editor',
      load: () => import('./editor/invoice-editor.ts'),
    },
    {
      path: '/invoices/recurring',
      title: 'Recurring invoices',
      tag: 'pay-recurring-list-page',
      load: () => import('./recurring/recurring-list-page.ts'),
    },
    {
      path: '/invoices/recurring/new',
      title: 'New recurring invoice',
      tag: 'pay-recurring-editor',
      load: () => import('./recurring/recurring-editor.ts'),
    },
    {
      path: '/invoices/recurring/:id',
      title: 'Recurring invoice',
      tag: 'pay-recurring-page',
      load: () => import('./recurring/recurring-page.ts'),
    },
    { path: '/invoices/taxes', title: 'Taxes', tag: 'pay-taxes-page', load: () => import('./taxes-page.ts') },
    { path: '/invoices/:id', title: 'Invoice', tag: 'pay-invoice-page', load: () => import('./invoice-page.ts') },
  ],
  navigation: [{ label: 'Invoices', icon: 'invoices', path: '/invoices', group: 'main', order: 40 }],
  search: [
    { label: 'Recurring invoices', words: 'subscription schedule repeat rent', path: '/invoices/recurring' },
    { label: 'Taxes', words: 'vat sales tax report return', path: '/invoices/taxes' },
  ],
  events: {
    'invoice.paid': ['Invoice paid', 'good', 'loud'],
    'invoice.overdue': ['Invoice overdue', 'warn'],
    'invoice.sent': ['Invoice sent', 'plain'],
    'invoice.viewed': ['Invoice opened', 'plain'],
  },
  objects: { inv: '/invoices/' },
  attention: {
    invoices_overdue: ['invoice overdue', 'invoices overdue', '/invoices?status=overdue'],
  },
};
