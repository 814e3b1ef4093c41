import { DateTime } from 'luxon';
import type { EventType } from '../../api/event.ts';
import type { InvoiceStatus } from '../../api/invoice/invoice-view.ts';
import {
  type FilledInstallment,
  fillInstallments,
  leftOf,
  type PlannedInstallment,
} from '../../core/invoice/invoice-installments.ts';
import { defineMachine } from '../../core/machine.ts';
import type { PaymentOwner } from '../payments/payment-purpose.ts';
import type { InvoiceRow } from './tables.ts';

/** The invoice as the owner of its payments. */
export function invoiceOwner(invoiceId: string): PaymentOwner {
  return { type: 'invoice', id: invoiceId };
}

/**
 * The life of an invoice. Each line: a status, and those it may go to. The same table guards the SQL that makes the
 * step. A numbered invoice never becomes a draft again. A paid one stays paid; refunds are shown next to the status. An
 * overdue invoice becomes partially paid when a payment covers all that is due. When a credit note covers it, the
 * status before overdue returns. What was paid in part is void only when all of it was credited instead.
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

/** The event of a step. A step back to an earlier status is no sending and no view. */
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

/** Whether its customer may pay it. */
export function isPayable(status: InvoiceStatus): boolean {
  return status === 'sent' || status === 'viewed' || status === 'partially_paid' || status === 'overdue';
}

/** What of an invoice is still to be paid. Minor units. */
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

/** A part of an invoice that falls due on a day. */
export interface DuePart {
  readonly dueDate: string;
  /** What of it is left, in minor units. */
  readonly amount: bigint;
  /** Which instalment it is, from 0; null for an invoice without instalments. */
  readonly index: number | null;
}

/** What is due next: the first instalment that is not paid, or the whole; null when nothing is left or no day is known. */
export function nextDue(row: Plan): DuePart | null {
  const remaining = remainingOf(row);
  if (remaining === 0n) return null;
  if (row.plan.length === 0)
    return row.due_date === null ? null : { dueDate: row.due_date, amount: remaining, index: null };
  const parts = installmentsOf(row, null);
  const index = parts.findIndex(({ status }) => status !== 'paid');
  const part = parts[index];
  if (part === undefined || part.dueDate === null) return null;
  return { dueDate: part.dueDate, amount: leftOf(part), index };
}

/** The status of a numbered invoice after money came or a credit note took something off. */
export function statusAfterMoney(row: Plan & Pick<InvoiceRow, 'status' | 'viewed_at'>, today: string): InvoiceStatus {
  if (row.status === 'void') return 'void';
  // All of it was taken back, and nothing had been paid.
  if (remainingOf(row) === 0n) return row.amount_paid === 0n && row.total > 0n ? 'void' : 'paid';
  if (row.status === 'uncollectible') return 'uncollectible';
  const due = nextDue(row);
  if (due !== null && due.dueDate < today) return 'overdue';
  if (row.amount_paid > 0n) return 'partially_paid';
  if (row.status !== 'overdue') return row.status;
  // The overdue amount was credited: that is no payment, and nothing is overdue any more.
  return row.viewed_at === null ? 'sent' : 'viewed';
}

/** The day it is in a time zone (IANA name) at a moment: `YYYY-MM-DD`. */
export function dayIn(timezone: string, moment: Date): string {
  return DateTime.fromJSDate(moment, { zone: timezone }).toISODate() ?? '';
}

/** The moment at which a day begins in a time zone: midnight, or where summer time skips it the first moment after. */
export function startOfDay(timezone: string, day: string): Date {
  return DateTime.fromISO(day, { zone: timezone }).startOf('day').toJSDate();
}

/** The day a number of days later. */
export function addDays(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toISODate() ?? '';
}

/** How many days the second is after the first. */
export function daysBetween(from: string, to: string): number {
  const [start, end] = [from, to].map(day => DateTime.fromISO(day, { zone: 'utc' }));
  return start === undefined || end === undefined ? 0 : end.diff(start, 'days').days;
}

/**
 * The moment of a full hour of a day in a time zone. An hour that summer time leaves out is the one after it; of an hour that
 * comes twice it is the first.
 */
export function momentOfDay(timezone: string, day: string, hour: number): Date {
  return DateTime.fromISO(day, { zone: timezone }).set({ hour }).toJSDate();
}
