/**
 * Operations that a shop's proxy can pass on. Three kinds:
 * `order`: creates a payment from the shop's own data, never from the browser's;
 * `payer`: concerns one payment and needs its client secret, so that no visitor reads or pays another's payment;
 * `shop`: the shop's own work (lists, refunds, links, payouts, ramps …), closed until `authorize` grants it.
 * Keys, webhook endpoints, events, the account and its balance are not listed: no shop needs them in a browser.
 */
export type OperationKind = 'order' | 'payer' | 'shop';

type Row = readonly [kind: OperationKind, method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string];

const table = {
  'payments.create': ['order', 'POST', '/v1/payments'],
  'payments.open': ['payer', 'POST', '/v1/checkout/open'],
  'payments.follow': ['payer', 'POST', '/v1/checkout/stream'],
  'payments.read': ['payer', 'GET', '/v1/payments/:id'],
  'payments.options': ['payer', 'GET', '/v1/payments/:id/options'],
  'payments.quote': ['payer', 'POST', '/v1/payments/:id/quotes'],
  'payments.confirm': ['payer', 'POST', '/v1/payments/:id/confirm'],
  'payments.wallet_transaction': ['payer', 'POST', '/v1/payments/:id/wallet_transactions'],
  'payments.submit_wallet_transaction': ['payer', 'POST', '/v1/payments/:id/wallet_transactions/:id/submit'],
  'payments.stream': ['payer', 'GET', '/v1/payments/:id/stream'],
  'payments.simulate_bank_transfer': ['payer', 'POST', '/v1/payments/:id/simulate_bank_transfer'],
  'payments.list': ['shop', 'GET', '/v1/payments'],
  'payments.update': ['shop', 'PATCH', '/v1/payments/:id'],
  'payments.capture': ['shop', 'POST', '/v1/payments/:id/capture'],
  'payments.cancel': ['shop', 'POST', '/v1/payments/:id/cancel'],
  'payments.refund': ['shop', 'POST', '/v1/payments/:id/refunds'],
  'payments.refunds': ['shop', 'GET', '/v1/payments/:id/refunds'],
  'payments.resolve': ['shop', 'POST', '/v1/payments/:id/resolve'],
  'refunds.list': ['shop', 'GET', '/v1/refunds'],
  'refunds.read': ['shop', 'GET', '/v1/refunds/:id'],
  'links.create': ['shop', 'POST', '/v1/payment-links'],
  'links.list': ['shop', 'GET', '/v1/payment-links'],
  'links.read': ['shop', 'GET', '/v1/payment-links/:id'],
  'links.update': ['shop', 'PATCH', '/v1/payment-links/:id'],
  'links.payments': ['shop', 'GET', '/v1/payment-links/:id/payments'],
  'invoices.create': ['shop', 'POST', '/v1/invoices'],
  'invoices.list': ['shop', 'GET', '/v1/invoices'],
  'invoices.read': ['shop', 'GET', '/v1/invoices/:id'],
  'invoices.update': ['shop', 'PATCH', '/v1/invoices/:id'],
  'invoices.send': ['shop', 'POST', '/v1/invoices/:id/send'],
  'invoices.pdf': ['shop', 'GET', '/v1/invoices/:id/pdf'],
  'invoices.xml': ['shop', 'GET', '/v1/invoices/:id/xml'],
  'invoices.void': ['shop', 'POST', '/v1/invoices/:id/void'],
  'invoices.mark_uncollectible': ['shop', 'POST', '/v1/invoices/:id/mark-uncollectible'],
  'invoices.pay': ['shop', 'POST', '/v1/invoices/:id/payments'],
  'invoices.record_payment': ['shop', 'POST', '/v1/invoices/:id/record-payment'],
  'invoices.remind': ['shop', 'POST', '/v1/invoices/:id/remind'],
  'recipients.create': ['shop', 'POST', '/v1/recipients'],
  'recipients.list': ['shop', 'GET', '/v1/recipients'],
  'recipients.read': ['shop', 'GET', '/v1/recipients/:id'],
  'recipients.update': ['shop', 'PATCH', '/v1/recipients/:id'],
  'recipients.delete': ['shop', 'DELETE', '/v1/recipients/:id'],
  'payouts.create': ['shop', 'POST', '/v1/payouts/bulk'],
  'payouts.list': ['shop', 'GET', '/v1/payouts'],
  'payouts.read': ['shop', 'GET', '/v1/payouts/:id'],
  'payouts.cancel': ['shop', 'POST', '/v1/payouts/:id/cancel'],
  'payouts.retry': ['shop', 'POST', '/v1/payouts/:id/retry'],
  'payout_batches.read': ['shop', 'GET', '/v1/payout-batches/:id'],
  'payout_batches.payouts': ['shop', 'GET', '/v1/payout-batches/:id/payouts'],
  'payout_batches.approve': ['shop', 'POST', '/v1/payout-batches/:id/approve'],
  'payout_batches.cancel': ['shop', 'POST', '/v1/payout-batches/:id/cancel'],
  'ramps.quote': ['shop', 'POST', '/v1/ramps/quotes'],
  'ramps.create': ['shop', 'POST', '/v1/ramps'],
  'ramps.list': ['shop', 'GET', '/v1/ramps'],
  'ramps.read': ['shop', 'GET', '/v1/ramps/:id'],
  'ramps.cancel': ['shop', 'POST', '/v1/ramps/:id/cancel'],
  'ramps.accept': ['shop', 'POST', '/v1/ramps/:id/accept'],
  'ramps.resume': ['shop', 'POST', '/v1/ramps/:id/resume'],
  'ramps.refund': ['shop', 'POST', '/v1/ramps/:id/refunds'],
  'customers.create': ['shop', 'POST', '/v1/customers'],
  'customers.read': ['shop', 'GET', '/v1/customers/:id'],
  'customers.update': ['shop', 'PATCH', '/v1/customers/:id'],
  'customers.kyc': ['shop', 'GET', '/v1/customers/:id/kyc'],
  'customers.update_kyc': ['shop', 'PUT', '/v1/customers/:id/kyc'],
} as const satisfies Record<string, Row>;

/** The name of an operation, which `authorize` receives. */
export type Operation = keyof typeof table;

export const operations = Object.keys(table) as Operation[];

/** An operation of the table, with the pattern of its path. */
export interface OperationRow {
  readonly name: Operation;
  readonly kind: OperationKind;
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
}

/** The operation of a request. `id` is the first id in the path. `path` is built from the table and the ids. */
export interface Match {
  readonly row: OperationRow;
  readonly id: string | null;
  readonly path: string;
}

/** An id is a prefix and base62 text, so dots, slashes and percent signs never match. */
const idPattern = '([a-z]{1,10}_[0-9A-Za-z]{1,64})';

const rows: readonly OperationRow[] = operations.map(name => {
  const [kind, method, path] = table[name];
  return { name, kind, method, path, pattern: new RegExp(`^${path.replaceAll(':id', idPattern)}$`) };
});

/** Finds the operation. Returns the allowed methods for a known path with another method, or null for other paths. */
export function matchOperation(method: string, path: string): Match | readonly string[] | null {
  const found = rows.filter(row => row.pattern.test(path));
  if (found.length === 0) return null;
  const row = found.find(candidate => candidate.method === method);
  if (!row) return found.map(candidate => candidate.method);
  const ids = row.pattern.exec(path)?.slice(1) ?? [];
  const [id = null] = ids;
  return { row, id, path: row.path.replaceAll(':id', () => ids.shift() ?? '') };
}
