import { html, type TemplateResult } from 'lit';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';
import { timeWords } from '../controls/values.ts';

/** The words of each status. */
export const invoiceStates: StateTable = {
  draft: ['Draft', 'plain'],
  sent: ['Sent', 'busy'],
  viewed: ['Opened', 'busy'],
  partially_paid: ['Partly paid', 'warn'],
  paid: ['Paid', 'good'],
  overdue: ['Overdue', 'bad'],
  void: ['Canceled', 'plain'],
  uncollectible: ['Given up', 'plain'],
};

export const invoiceChip = ({ status }: Invoice) => statusChip(status, invoiceStates);

/** The invoice's number, or `Draft`. */
export const invoiceTitle = ({ number }: Invoice): string => number ?? 'Draft';

export const customerWords = ({ customer: { name, email } }: Invoice): string => name ?? email ?? 'No customer';

/** A calendar day (YYYY-MM-DD), the same in every time zone. */
export function dayText(day: string | null): TemplateResult | string {
  return day === null ? '' : html`<time class="num" datetime=${day}>${timeWords(`${day}T12:00:00`, 'day')}</time>`;
}
