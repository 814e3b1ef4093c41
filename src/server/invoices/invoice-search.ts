import { moneyText } from '../ledger/balance-money.ts';
import { type SearchSource, searchIn } from '../platform/db/search.ts';

const scope = 'invoices:read';

/** How the search finds invoices, credit notes and recurring invoices. */
export const invoiceSearch: readonly SearchSource[] = [
  searchIn('invoices', {
    kind: 'invoice',
    type: 'invoice',
    path: '/v1/invoices',
    scope,
    matches: [
      { column: 'number', as: 'upper' },
      { column: 'reference', as: 'exact' },
      { column: 'customer_id', as: 'customer' },
    ],
    show: row => ({
      title: row.number ?? 'Draft',
      subtitle: `${row.status} · ${moneyText({ currency: row.currency, amount: row.total })}`,
    }),
  }),
  searchIn('credit_notes', {
    kind: 'creditNote',
    type: 'credit_note',
    path: '/v1/credit-notes',
    scope,
    matches: [{ column: 'number', as: 'upper' }],
    show: row => ({ title: row.number, subtitle: moneyText(row), parent: row.invoice_id }),
  }),
  searchIn('recurring_invoices', {
    kind: 'recurringInvoice',
    type: 'recurring_invoice',
    path: '/v1/recurring-invoices',
    scope,
    show: row => ({ title: row.rrule, subtitle: row.status }),
  }),
];
