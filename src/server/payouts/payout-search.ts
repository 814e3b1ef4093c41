import { moneyText } from '../ledger/balance-money.ts';
import { type SearchSource, searchIn } from '../platform/db/search.ts';

/** How the search finds payouts, batches and recipients. */
export const payoutSearch: readonly SearchSource[] = [
  searchIn('payouts', {
    kind: 'payout',
    type: 'payout',
    path: '/v1/payouts',
    scope: 'payouts:read',
    matches: [
      { column: 'reference', as: 'lower' },
      { column: 'trace', as: 'exact' },
    ],
    show: row => ({ title: moneyText(row), subtitle: [row.status, row.reference ?? row.description].join(' · ') }),
  }),
  searchIn('payout_batches', {
    kind: 'payoutBatch',
    type: 'payout_batch',
    path: '/v1/payout-batches',
    scope: 'payouts:read',
    show: row => ({ title: row.description ?? row.id, subtitle: row.status }),
  }),
  searchIn('recipients', {
    kind: 'recipient',
    type: 'recipient',
    path: '/v1/recipients',
    scope: 'recipients:read',
    deletedAt: 'deleted_at',
    matches: [
      { column: 'name', as: 'prefix' },
      { column: 'name', as: 'last_word' },
      { column: 'email', as: 'prefix' },
      { column: 'reference', as: 'lower' },
    ],
    show: ({ name, email }) => ({ title: name, subtitle: email }),
  }),
];
