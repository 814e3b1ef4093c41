import { html, type TemplateResult } from 'lit';
import type { Approval } from '../../api/client.ts';
import { pathTo } from '../app/router.ts';
import { chip, type StateTable, statusChip } from '../controls/status-chip.ts';
import { moneyWords } from '../controls/values.ts';

/** The label and tone of each status of an approval. */
export const approvalStates: StateTable = {
  awaiting_approval: ['Waiting', 'warn'],
  approved: ['Approved', 'good'],
  canceled: ['Canceled', 'plain'],
  released: ['Within the limit', 'plain'],
};

/** What an approval decides about, in a few words. */
export const kindWords: Readonly<Record<Approval['kind'], string>> = {
  payout_batch: 'Payouts',
  withdrawal: 'Withdrawal',
  refund: 'Refund',
  return: 'Return of a transfer',
  conversion: 'Conversion',
  approval_limit: 'Approval limit',
  settlement_destination: 'Settlement destination',
};

/** The worth in the limit's currency, which may be a currency or an asset. Null if it is not known. */
export function worthWords({ worth }: Pick<Approval, 'worth'>): string | null {
  return worth === null ? null : moneyWords(worth.amount, worth.currency);
}

/** The link to the approvals, as the state of an object that waits for a second person. */
export const waitsChip = (): TemplateResult =>
  html`<a class="chip warn" href=${pathTo('/approvals')}>Waits for approval</a>`;

/** The state of an object that people may have to approve, or that they canceled instead. */
export function approvedChip(
  { status, failure }: { readonly status: string; readonly failure: { readonly code: string } | null },
  states: StateTable,
): TemplateResult {
  if (status === 'awaiting_approval') return waitsChip();
  if (isCanceled({ failure })) return chip('Canceled');
  return statusChip(status, states);
}

/** Whether a person canceled the object instead of approving it. */
export const isCanceled = ({ failure }: { readonly failure: { readonly code: string } | null }): boolean =>
  failure?.code === 'canceled';
