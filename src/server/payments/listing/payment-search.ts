import { moneyText } from '../../ledger/balance-money.ts';
import { type SearchSource, searchIn } from '../../platform/db/search.ts';

const scope = 'payments:read';

/** The second line of a search result: the known parts. */
const line = (...parts: readonly (string | null)[]) => parts.filter(part => part !== null).join(' · ');

/** How the search finds payments, refunds, disputes and transfers. */
export const paymentSearch: readonly SearchSource[] = [
  searchIn('payments', {
    kind: 'payment',
    type: 'payment',
    path: '/v1/payments',
    scope,
    matches: [
      { column: 'reference', as: 'exact' },
      { column: 'settlement_tx_hash', as: 'hash' },
      { column: 'tx_hash', as: 'hash', through: { table: 'transfers', key: 'payment_id' } },
      { column: 'reference', as: 'exact', through: { table: 'bank_instructions', key: 'payment_id' } },
      { column: 'customer_id', as: 'customer' },
      { column: 'number', as: 'phone', through: { table: 'payment_attempts', key: 'payment_id' } },
    ],
    show: row => ({ title: moneyText(row), subtitle: line(row.phase, row.customer_email, row.reference) }),
  }),
  searchIn('refunds', {
    kind: 'refund',
    type: 'refund',
    path: '/v1/refunds',
    scope,
    matches: [{ column: 'tx_hash', as: 'hash', through: { table: 'refund_parts', key: 'refund_id' } }],
    show: row => ({ title: moneyText(row), subtitle: line(row.status, row.payment_id), parent: row.payment_id }),
  }),
  searchIn('disputes', {
    kind: 'dispute',
    type: 'dispute',
    path: '/v1/disputes',
    scope,
    show: row => ({ title: moneyText(row), subtitle: line(row.status, row.payment_id), parent: row.payment_id }),
  }),
  searchIn('transfers', {
    kind: 'transfer',
    type: 'transfer',
    path: null,
    scope,
    matches: [
      { column: 'reference', as: 'exact' },
      { column: 'tx_hash', as: 'hash' },
    ],
    show: row => ({
      title: moneyText(row),
      subtitle: line(row.status, row.sender, row.reference),
      parent: row.payment_id ?? row.top_up_id,
    }),
  }),
];
