import { DateTime } from 'luxon';
import type { EventType } from '../../api/event.ts';
import type { InvoiceStatus } from '../../api/invoice/invoice-view.ts';
import {
  type FilledInstallment,
  fillInstallments,
  type PlannedInstallment,
  unpaidOf,
} from '../../core/invoice/invoice-installments.ts';
import { defineMachine } from '../../core/machine.ts';
import type { MoneyRefusal, PaymentOwner } from '../payments/payment-purpose.ts';
import type { InvoiceRow } from './tables.ts';

/** The invoice as the owner of its payments. */
export function invoiceOwner(invoiceId: string): PaymentOwner {
  return { type: 'invoice', id: invoiceId };
}

/**
 * The life of an invoice. A numbered invoice never becomes a draft again. A paid one stays paid; refunds are shown next to
 * the status. An overdue invoice becomes partially paid when a payment covers all that is due. When a credit note covers
 * it, the status before overdue returns. An invoice is void only while nothing of it was paid.
 */
export const invoiceMachine = defineMachine<InvoiceStatus>({
  draft: ['sent'],
  sent: ['viewed', 'partially_paid', 'paid', 'overdue', 'void', 'uncollectible'],
  viewed: ['partially_paid', 'paid', 'overdue', 'void', 'uncollectible'],
  partially_paid: ['paid', 'overdue', 'void', 'uncollectible'],
  overdue: ['sent', 'viewed', 'partially_paid', 'paid', 'void', 'uncollectible'],
  paid: [],
  void: [],
  uncollectible: ['paid', 'void'],
});

/** The event of a step. A step from overdue back to an earlier status is only an update. */
export function eventOfStep(from: InvoiceStatus, to: InvoiceStatus): EventType {
  return from === 'overdue' && (to === 'sent' || to === 'viewed') ? 'invoice.updated' : eventOfStatus[to];
}

const eventOfStatus: Readonly<Record<InvoiceStatus, EventType>> = {
  draft: 'invoice.created',
  sent: 'invoice.sent',
  viewed: 'invoice.viewed',
  partially_paid: 'invoice.partially_paid',
  paid: 'invoice.paid',
  overdue: 'invoice.overdue',
  void: 'invoice.voided',
  uncollectible: 'invoice.uncollectible',
};

/** Whether the customer may pay the invoice. */
export function isPayable(status: InvoiceStatus): boolean {
  return status === 'sent' || status === 'viewed' || status === 'partially_paid' || status === 'overdue';
}

/** The remaining amount, in minor units. */
export function remainingOf(row: Pick<InvoiceRow, 'total' | 'amount_paid' | 'amount_credited'>): bigint {
  return row.total - row.amount_paid - row.amount_credited;
}

type Plan = Pick<InvoiceRow, 'plan' | 'due_date' | 'total' | 'amount_paid' | 'amount_credited'>;

/** The instalments as settled so far. `today` is the merchant's day. */
export function installmentsOf(row: Plan, today: string | null): FilledInstallment[] {
  return fillInstallments(row.plan.map(planned), { paid: row.amount_paid, credited: row.amount_credited }, today);
}

function planned({ kind, due_date: dueDate, amount }: InvoiceRow['plan'][number]): PlannedInstallment {
  return { kind, dueDate, percent: null, amount: BigInt(amount) };
}

/** The next due part: the first unpaid instalment, or the whole. Null when nothing remains or no due day is known. */
export function nextDue(row: Plan): { readonly dueDate: string; readonly amount: bigint } | null {
  const amount = remainingOf(row);
  if (amount === 0n) return null;
  if (row.plan.length === 0) return row.due_date === null ? null : { dueDate: row.due_date, amount };
  const part = installmentsOf(row, null).find(({ status }) => status !== 'paid');
  return part === undefined || part.dueDate === null ? null : { dueDate: part.dueDate, amount: unpaidOf(part) };
}

/** The status of a numbered invoice after a payment or a credit note. `today` is the merchant's day. */
export function statusAfterMoney(row: Plan & Pick<InvoiceRow, 'status' | 'viewed_at'>, today: string): InvoiceStatus {
  if (row.status === 'void') return 'void';
  // Credit notes covered all of it, and nothing was paid.
  if (remainingOf(row) === 0n) return row.amount_paid === 0n && row.total > 0n ? 'void' : 'paid';
  if (row.status === 'uncollectible') return 'uncollectible';
  const due = nextDue(row);
  if (due !== null && due.dueDate < today) return 'overdue';
  if (row.amount_paid > 0n) return 'partially_paid';
  if (row.status !== 'overdue') return row.status;
  // A credit note covered the overdue amount, which is no payment.
  return row.viewed_at === null ? 'sent' : 'viewed';
}

/** The day `YYYY-MM-DD` of a moment in a time zone (IANA name). */
export function dayIn(timezone: string, moment: Date): string {
  return DateTime.fromJSDate(moment, { zone: timezone }).toISODate() ?? '';
}

/** The start of a day in a time zone: midnight, or the first moment after it where summer time skips midnight. */
export function startOfDay(timezone: string, day: string): Date {
  return DateTime.fromISO(day, { zone: timezone }).startOf('day').toJSDate();
}

export function addDays(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toISODate() ?? '';
}

/** The number of days from one day to another. */
export function daysBetween(from: string, to: string): number {
  const [start, end] = [from, to].map(day => DateTime.fromISO(day, { zone: 'utc' }));
  return start === undefined || end === undefined ? 0 : end.diff(start, 'days').days;
}

/** The moment of a full hour of a day in a time zone. A skipped hour is the next one; a repeated hour is the first. */
export function momentOfDay(timezone: string, day: string, hour: number): Date {
  return DateTime.fromISO(day, { zone: timezone }).set({ hour }).toJSDate();
}

/** Why an invoice takes no more payments, for its payers; null while it takes payments. */
export function refusalOf({ status }: Pick<InvoiceRow, 'status'>): MoneyRefusal | null {
  if (status === 'void') return { code: 'invoice_void', message: 'The invoice was canceled. There is nothing to pay.' };
  if (status !== 'paid') return null;
  return { code: 'invoice_paid', message: 'The invoice has been paid. There is nothing to pay.' };
}
