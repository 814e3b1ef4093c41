import type { TemplateResult } from 'lit';
import type { InvoiceTemplate, RecurringInvoice } from '../../../api/invoice/recurring.ts';
import { type StateTable, statusChip } from '../../controls/status-chip.ts';

const states: StateTable = {
  active: ['Active', 'good'],
  paused: ['Paused', 'warn'],
  ended: ['Ended', 'plain'],
};

/** The state of a schedule. An active schedule whose last invoice failed is “Stuck”. */
export function recurringChip({ status, last_error: fault }: RecurringInvoice): TemplateResult {
  return status === 'active' && fault !== null
    ? statusChip('stuck', { stuck: ['Stuck', 'bad'] })
    : statusChip(status, states);
}

/** The template of each invoice. It never changes, because a schedule cannot be edited. */
export const templateOf = ({ invoice }: RecurringInvoice): InvoiceTemplate => invoice as InvoiceTemplate;

/** The name or e-mail address of the invoices' customer. */
export function receiverOf(recurring: RecurringInvoice): string {
  const { name, email } = templateOf(recurring).customer;
  return name ?? email ?? 'No customer';
}

/** The number of invoices: `2 of 12`, or `2` without a limit. */
export const countWords = ({ occurrences, count }: RecurringInvoice): string =>
  count === null ? String(occurrences) : `${occurrences} of ${count}`;
