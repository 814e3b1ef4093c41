import { html, type TemplateResult } from 'lit';
import type { AttentionItem } from '../../api/client.ts';
import { pathTo } from '../app/router.ts';
import { sentenceCase } from '../controls/status-chip.ts';

/** The words for one object and for several objects, and the path of their list. */
type Words = readonly [one: string, many: string, path: string];

const payments = (filter: string) => `/payments?${filter}`;

const kinds: Readonly<Record<string, Words>> = {
  payments_underpaid: ['underpaid payment', 'underpaid payments', payments('exception=underpaid')],
  payments_overpaid: ['overpaid payment', 'overpaid payments', payments('exception=overpaid')],
  payments_paid_late: ['payment came late', 'payments came late', payments('exception=paid_late')],
  payments_wrong_asset: ['payment in a wrong asset', 'payments in a wrong asset', payments('exception=wrong_asset')],
  payments_wrong_network: [
    'payment on a wrong network',
    'payments on a wrong network',
    payments('exception=wrong_network'),
  ],
  payments_to_capture: ['card to capture', 'cards to capture', payments('phase=authorized')],
  settlements_failed: ['settlement failed', 'settlements failed', payments('settlement_status=failed')],
  refunds_without_destination: [
    'refund waits for its payer',
    'refunds wait for their payers',
    payments('refund_requires_destination=true'),
  ],
  transfers_unmatched: ['transfer without a payment', 'transfers without a payment', '/balance/unmatched'],
  disputes_to_answer: ['dispute to answer', 'disputes to answer', '/balance/disputes?status=needs_response'],
  invoices_overdue: ['invoice overdue', 'invoices overdue', '/invoices?status=overdue'],
  payouts_on_hold: ['payout on hold', 'payouts on hold', '/payouts?status=on_hold'],
  payout_batches_to_approve: [
    'batch of payouts to approve',
    'batches of payouts to approve',
    '/payouts/batches?status=awaiting_approval',
  ],
  bank_answers_put_aside: ['bank answer to look at', 'bank answers to look at', '/settings/bank-answers'],
  approvals: ['approval of a second person', 'approvals of a second person', '/approvals'],
  domains_failed: ['domain failed', 'domains failed', '/settings/domains'],
  webhook_endpoints_disabled: ['webhook endpoint disabled', 'webhook endpoints disabled', '/developers'],
};

/** The work that waits for a person, as links. `isPage`: whether the dashboard has a page at the path. */
export function attentionList(items: readonly AttentionItem[], isPage: (path: string) => boolean): TemplateResult {
  if (items.length === 0) return html`<p class="hint">Nothing needs you.</p>`;
  return html`<ul class="attention">
    ${items.map(item => {
      const [words, path] = wordsOf(item);
      return html`<li>${path !== null && isPage(path) ? html`<a href=${pathTo(path)}>${words}</a>` : words}</li>`;
    })}
  </ul>`;
}

function wordsOf({ kind, count, has_more: more }: AttentionItem): [words: string, path: string | null] {
  const [one, many, path] = kinds[kind] ?? [sentenceCase(kind), sentenceCase(kind), null];
  return [more ? `More than ${count} ${many}` : `${count} ${count === 1 ? one : many}`, path];
}
