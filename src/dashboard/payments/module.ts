import type { DashboardModule } from '../app/dashboard-module.ts';

/** Payments: the list with filters, and one payment's timeline with refund, capture and resolve. */
export const payments: DashboardModule = {
  pages: [
    { path: '/payments', title: 'Payments', tag: 'pay-payments-page', load: () => import('./payments-page.ts') },
    { path: '/payments/:id', title: 'Payment', tag: 'pay-payment-page', load: () => import('./payment-page.ts') },
  ],
  navigation: [{ label: 'Payments', icon: 'payments', path: '/payments', group: 'main', order: 20, isAtFoot: true }],
  events: {
    'payment.created': ['Payment created', 'plain'],
    'payment.completed': ['Payment received', 'good', 'loud'],
    'payment.failed': ['Payment failed', 'bad'],
    'payment.refunded': ['Payment refunded', 'plain'],
    'payment.requires_action': ['Waiting for the payer’s confirmation', 'busy'],
    'payment.authorized': ['Card authorized', 'busy'],
    'payment.confirming': ['Money seen', 'busy'],
    'payment.partially_paid': ['Part of a payment received', 'warn'],
    'payment.overpaid': ['More than the amount received', 'warn', 'loud'],
    'payment.paid_late': ['Paid after the deadline', 'warn', 'loud'],
    'payment.unrecognized_asset': ['Unexpected asset received', 'warn'],
    'payment.quote_refreshed': ['Rate renewed', 'plain'],
    'payment.disputed': ['Payment disputed', 'bad', 'loud'],
    'payment.settled': ['Settled', 'good'],
    'payment.settlement_failed': ['Settlement failed', 'bad', 'loud'],
    'refund.created': ['Refund started', 'busy'],
    'refund.approved': ['Refund approved', 'busy'],
    'refund.completed': ['Refund completed', 'good'],
    'refund.failed': ['Refund failed', 'bad', 'loud'],
    'refund.requires_destination': ['Refund waits for the payer', 'warn'],
  },
  objects: { pay: '/payments/' },
  attention: {
    payments_underpaid: ['underpaid payment', 'underpaid payments', '/payments?exception=underpaid'],
    payments_overpaid: ['overpaid payment', 'overpaid payments', '/payments?exception=overpaid'],
    payments_paid_late: ['payment came late', 'payments came late', '/payments?exception=paid_late'],
    payments_wrong_asset: ['payment in a wrong asset', 'payments in a wrong asset', '/payments?exception=wrong_asset'],
    payments_wrong_network: [
      'payment on a wrong network',
      'payments on a wrong network',
      '/payments?exception=wrong_network',
    ],
    payments_to_capture: ['card to capture', 'cards to capture', '/payments?phase=authorized'],
    settlements_failed: ['settlement failed', 'settlements failed', '/payments?settlement_status=failed'],
    refunds_without_destination: [
      'refund waits for its payer',
      'refunds wait for their payers',
      '/payments?refund_requires_destination=true',
    ],
  },
};
