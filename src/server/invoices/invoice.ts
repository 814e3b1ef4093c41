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
 * The states of an invoice. A numbered invoice never becomes a draft again. Refunds do not change the status of a paid
 * invoice; a dispute reopens it. An overdue invoice becomes partially paid when a payment covers the due amount. The
 * earlier status returns when a credit note covers it. Only an invoice without payments can be void.
 */
export const invoiceMachine = defineMachine<InvoiceStatus>({
  draft: ['sent'],
  sent: ['viewed', 'partially_paid', 'paid', 'overdue', 'void', 'uncollectible'],
  viewed: ['partially_paid', 'paid', 'overdue', 'void', 'uncollectible'],
  partially_paid: ['paid', 'overdue', 'void', 'uncollectible'],
  overdue: ['sent', 'viewed', 'partially_paid', 'paid', 'void', 'uncollectible'],
  paid: ['sent', 'viewed', 'partially_paid', 'overdue'],
  void: [],
  uncollectible: ['paid', 'void'],
});

/** The event of a status change. A change from overdue back to an earlier status is only an update. */
export function eventOfStep(from: InvoiceStatus, to: InvoiceStatus): EventType {
  if (from === 'paid') return 'invoice.reopened';
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

/** The amount that payments may still pay, in minor units: 0 for a void invoice, else the remaining amount. */
export function openAmountOf(row: Pick<InvoiceRow, 'status' | 'total' | 'amount_paid' | 'amount_credited'>): bigint {
  return row.status === 'void' ? 0n : remainingOf(row);
}

type Plan = Pick<InvoiceRow, 'plan' | 'due_date' | 'total' | 'amount_paid' | 'amount_credited'>;

/** The instalments with the amounts paid so far. `today` is the merchant's date. */
export function installmentsOf(row: Plan, today: string | null): FilledInstallment[] {
  return fillInstallments(row.plan.map(planned), { paid: row.amount_paid, credited: row.amount_credited }, today);
}

function planned({ kind, due_date: dueDate, amount }: InvoiceRow['plan'][number]): PlannedInstallment {
  return { kind, dueDate, percent: null, amount: BigInt(amount) };
}

/** The next due part: the first unpaid instalment, or the whole amount. Null without remaining amount or due date. */
export function nextDue(row: Plan): { readonly dueDate: string; readonly amount: bigint } | null {
  const amount = remainingOf(row);
  if (amount === 0n) return null;
  if (row.plan.length === 0) return row.due_date === null ? null : { dueDate: row.due_date, amount };
  const part = installmentsOf(row, null).find(({ status }) => status !== 'paid');
  return part === undefined || part.dueDate === null ? null : { dueDate: part.dueDate, amount: unpaidOf(part) };
}

/** The status of a numbered invoice after a payment or a credit note. `today` is the merchant's date. */
export function statusAfterMoney(row: Plan & Pick<InvoiceRow, 'status' | 'viewed_at'>, today: string): InvoiceStatus {
  if (row.status === 'void') return 'void';
  // Credit notes covered a whole invoice without payments, so it is void.
  if (remainingOf(row) === 0n) return row.amount_paid === 0n && row.total > 0n ? 'void' : 'paid';
  if (row.status === 'uncollectible') return 'uncollectible';
  const due = nextDue(row);
  if (due !== null && due.dueDate < today) return 'overdue';
  if (row.amount_paid > 0n) return 'partially_paid';
  if (row.status !== 'overdue' && row.status !== 'paid') return row.status;
  // The invoice is not overdue any more: a credit note covered the due amount, or a dispute took a payment back.
  return row.viewed_at === null ? 'sent' : 'viewed';
}

/** Why existing payments of the invoice can no longer be paid. Null if they can, also for an uncollectible invoice. */
export function refusalOf({ status }: Pick<InvoiceRow, 'status'>): MoneyRefusal | null {
  if (status === 'void') return { code: 'invoice_void', message: 'The invoice was canceled. There is nothing to pay.' };
  if (status !== 'paid') return null;
  return { code: 'invoice_paid', message: 'The invoice has been paid. There is nothing to pay.' };
}
