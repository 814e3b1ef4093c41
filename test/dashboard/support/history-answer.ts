import type { PaymentHistoryEntry } from '../../../src/api/dashboard/payment-history.ts';
import type { Payment } from '../../../src/api/payment.ts';

/** Records of a payment by type, the oldest first. A test names only the fields that the page shows. */
export type HistoryRecords = Partial<Record<PaymentHistoryEntry['type'], readonly object[]>>;

/** The answer of `GET /v1/payments/:id/history`. */
export function historyAnswer(payment: Payment, records: HistoryRecords = {}) {
  const data = Object.entries(records).flatMap(([type, list]) =>
    list.map(record => {
      const { updated_at, delivered_at, created_at } = record as Readonly<Record<string, string | null>>;
      const at = updated_at ?? delivered_at ?? created_at;
      const more = type === 'delivery' ? { endpoint_url: 'https://shop.example/hooks' } : {};
      return { object: 'payment_history_entry', type, at, actor: null, data: record, ...more };
    }),
  );
  return { object: 'payment_history', url: `/v1/payments/${payment.id}/history`, payment, has_more: false, data };
}
