import type { EventType } from '../../../api/event.ts';
import { least } from '../../../core/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { changeInvoice } from '../invoice.store.ts';
import { addDays, dayIn, nextDue, refusalOf, remainingOf, startOfDay, statusAfterMoney } from '../invoice.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { queueReceiptMail } from '../notifications/invoice-notifications.ts';
import { addCredit, creditedSums, settledByRefunds, takeCredit } from './credit.store.ts';
import { insertTransaction, type NewTransaction, sumsOf } from './invoice-transaction.store.ts';

/** Received money for an invoice, in its currency. */
export interface InvoiceMoney extends Omit<NewTransaction, 'amount' | 'overpaid'> {
  readonly amount: bigint;
  /** The merchant whose receipt the customer gets; left out for credit. */
  readonly receiptFrom?: Merchant;
}

/**
 * Books money for a numbered invoice that the transaction holds locked. It pays the remaining amount; the excess
 * becomes customer credit.
 */
export async function applyMoney(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  money: InvoiceMoney,
): Promise<InvoiceRow> {
  const open = invoice.status === 'void' ? 0n : remainingOf(invoice);
  const amount = least(money.amount, open);
  const overpaid = money.amount - amount;
  const transaction = await insertTransaction(tx, invoice, { ...money, amount, overpaid });
  await addCredit(tx, invoice, overpaid);
  const after = await settle(tx, context, invoice, {
    paid: { amount_paid: invoice.amount_paid + amount, amount_overpaid: invoice.amount_overpaid + overpaid },
    events: overpaid > 0n ? ['invoice.overpaid'] : [],
    now: money.now,
  });
  const { receiptFrom: merchant, now } = money;
  if (merchant !== undefined) await queueReceiptMail(tx, context, after, { merchant, now }, transaction);
  return after;
}

/** New sums of an invoice, and events besides that of its status. */
interface Settlement {
  readonly paid: Partial<Pick<InvoiceRow, 'amount_paid' | 'amount_overpaid' | 'amount_credited'>>;
  readonly events: readonly EventType[];
  readonly now: Date;
}

/** Writes new sums and the status that follows from them. */
export async function settle(
  tx: Tx,
  context: InvoiceViewContext,
  before: InvoiceRow,
  { paid, events, now }: Settlement,
): Promise<InvoiceRow> {
  const after = { ...before, ...paid };
  const to = statusAfterMoney(after, timezoneDay(before, now));
  const isPart = after.amount_paid > before.amount_paid && to !== 'paid';
  const isStep = to === 'partially_paid' && before.status !== to;
  return await changeInvoice(tx, context, before, {
    to,
    set: {
      ...paid,
      overdue_at: overdueAt({ ...after, status: to }),
      ...(to === 'paid' && before.paid_at === null && { paid_at: now }),
      ...(to === 'void' && before.voided_at === null && { voided_at: now }),
      ...(to !== before.status && refusalOf({ status: to }) !== null && { closing_at: now }),
    },
    events: [...(isPart && !isStep ? (['invoice.partially_paid'] as const) : []), ...events],
    now,
  });
}

/** When the unpaid invoice becomes overdue: the end of its next due day. */
export function overdueAt(row: InvoiceRow): Date | null {
  if (row.status !== 'sent' && row.status !== 'viewed' && row.status !== 'partially_paid') return null;
  const due = nextDue(row);
  return due === null || row.seller === null ? null : startOfDay(row.seller.timezone, addDays(due.dueDate, 1));
}

/** The merchant's day of a numbered invoice. */
export function timezoneDay({ seller, id }: InvoiceRow, now: Date): string {
  if (seller === null) throw new Error(`invoice ${id} is a draft`);
  return dayIn(seller.timezone, now);
}

/** Money that a refund returns, or that a failed refund did not return; in minor units of the invoice's currency. */
interface RefundedMoney {
  readonly amount: bigint;
  readonly paymentId: string;
  /** The merchant's clock. */
  readonly now: Date;
}

/** Books a refund. It uses the customer's remaining credit from this invoice first. */
export async function applyRefund(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  { amount, paymentId, now }: RefundedMoney,
): Promise<InvoiceRow> {
  const { credit } = await sumsOf(tx, invoice);
  const fromCredit = await takeCredit(tx, invoice, least(amount, credit));
  await insertTransaction(tx, invoice, {
    ...{ type: 'refund', amount: fromCredit - amount, overpaid: -fromCredit, paymentId, paidAt: now, now },
  });
  return await changeInvoice(tx, context, invoice, {
    set: {
      // Credit from a credit note is not part of the overpaid amount.
      amount_overpaid: invoice.amount_overpaid - least(fromCredit, invoice.amount_overpaid),
      amount_refunded: invoice.amount_refunded + amount,
    },
    now,
  });
}

/**
 * Reverses a failed refund: the money returns to the merchant, and the used credit to the customer. `free` is the
 * refunded amount that was not taken out of credit; it is undone first. Money that a later credit note already relied
 * on becomes customer credit.
 */
export async function undoRefund(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  { amount, free, paymentId, now }: RefundedMoney & { readonly free: bigint },
): Promise<InvoiceRow> {
  const sums = await sumsOf(tx, invoice);
  const countedOn = settledByRefunds(invoice, await creditedSums(tx, invoice));
  const undone = least(amount, least(free, sums.refunded - countedOn));
  const toCredit = amount - undone;
  await addCredit(tx, invoice, toCredit);
  await insertTransaction(tx, invoice, {
    ...{ type: 'refund', amount: undone, overpaid: toCredit, paymentId, paidAt: now, now },
  });
  // A refund takes overpaid credit first and credit of notes last. A failed refund returns it in the opposite order.
  const takenOfOverpaid = sums.credit + sums.taken - sums.noted - invoice.amount_overpaid;
  const toNotes = sums.taken > takenOfOverpaid ? sums.taken - takenOfOverpaid : 0n;
  const toOverpaid = toCredit > toNotes ? least(toCredit - toNotes, takenOfOverpaid) : 0n;
  return await changeInvoice(tx, context, invoice, {
    set: {
      amount_overpaid: invoice.amount_overpaid + toOverpaid,
      amount_refunded: invoice.amount_refunded - amount,
    },
    now,
  });
}
