import type { DashboardModule } from '../app/dashboard-module.ts';

/** The balance: sums, entries, statements, top-ups, withdrawals, money without a payment, approvals and disputes. */
export const balance: DashboardModule = {
  pages: [
    { path: '/balance', title: 'Balance', tag: 'pay-balance-page', load: () => import('./balance-page.ts') },
    {
      path: '/balance/unmatched',
      title: 'Unmatched money',
      tag: 'pay-unmatched-page',
      load: () => import('./unmatched-page.ts'),
    },
    {
      path: '/balance/movements',
      title: 'Top-ups and withdrawals',
      tag: 'pay-movements-page',
      load: () => import('./movements-page.ts'),
    },
    {
      path: '/approvals',
      title: 'Approvals',
      tag: 'pay-approvals-page',
      load: () => import('./approvals-page.ts'),
    },
    {
      path: '/balance/disputes',
      title: 'Disputes',
      tag: 'pay-disputes-page',
      load: () => import('./disputes-page.ts'),
    },
    {
      path: '/balance/disputes/:id',
      title: 'Dispute',
      tag: 'pay-dispute-page',
      load: () => import('./dispute-page.ts'),
    },
  ],
  navigation: [
    {
      label: 'Balance',
      icon: 'balance',
      path: '/balance',
      further: ['/approvals'],
      group: 'money',
      order: 10,
    },
  ],
  search: [
    { label: 'Unmatched money', words: 'transfers assign return reference', path: '/balance/unmatched' },
    { label: 'Top-ups and withdrawals', words: 'add money', path: '/balance/movements' },
    { label: 'Approvals', words: 'second person limit approve waiting', path: '/approvals' },
    { label: 'Disputes', words: 'chargeback evidence', path: '/balance/disputes' },
    { label: 'Statements', words: 'camt csv bookkeeping export', path: '/balance' },
  ],
  events: {
    'dispute.created': ['Dispute opened', 'bad'],
    'dispute.evidence_submitted': ['Evidence sent', 'busy'],
    'dispute.closed': ['Dispute closed', 'plain'],
    'transfer.unmatched': ['Money without a payment', 'warn', 'loud'],
    'approval.created': ['Waits for a second person', 'warn', 'loud'],
    'approval.approved': ['Approved by a second person', 'good'],
    'approval.canceled': ['Canceled instead of approved', 'plain'],
  },
  objects: {
    dp: '/balance/disputes/',
    tr: '/balance/unmatched',
    tu: '/balance/movements',
    wd: '/balance/movements',
    appr: '/approvals',
  },
  attention: {
    transfers_unmatched: ['transfer without a payment', 'transfers without a payment', '/balance/unmatched'],
    disputes_to_answer: ['dispute to answer', 'disputes to answer', '/balance/disputes?status=needs_response'],
    approvals: ['approval of a second person', 'approvals of a second person', '/approvals'],
  },
};
