import { html, type TemplateResult } from 'lit';
import type { LineVat } from '../../api/invoice/invoice.ts';
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

/** The label of each VAT category, and the reason that invoices print by default. Empty: the category has no reason. */
const vatCategories: Readonly<Record<LineVat['category'], readonly [label: string, reason: string]>> = {
  standard: ['Standard rate', ''],
  zero: ['Zero rate', ''],
  exempt: ['Exempt', 'Exempt from VAT'],
  reverse_charge: ['Reverse charge', 'Reverse charge'],
  intra_eu: ['Intra-EU supply', 'Intra-Community supply'],
  export: ['Export', 'Export outside the EU'],
  outside_scope: ['Outside the scope of VAT', 'Not subject to VAT'],
};

/** The VAT categories of a menu. The first entry leaves the choice to the tax rate. */
export const vatOptions: readonly (readonly [value: string, label: string])[] = [
  ['', 'By the tax rate'],
  ...Object.entries(vatCategories).map(([category, [label]]) => [category, label] as const),
];

/** Label and usual reason of a VAT category. Empty texts for an unknown category. */
export const vatWords = (category: string): readonly [label: string, reason: string] =>
  (vatCategories as Partial<Record<string, readonly [string, string]>>)[category] ?? ['', ''];

/** Whether lines of the VAT category have no tax. */
export const isUntaxed = (category: string): boolean => category !== '' && category !== 'standard';
