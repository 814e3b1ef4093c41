import type { EventType } from '../../../api/event.ts';
import { addDays } from '../../../core/calendar.ts';
import { PayError } from '../../../core/error.ts';
import { least } from '../../../core/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { dayIn, startOfDay } from '../../platform/local-day.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { changeInvoice } from '../invoice.store.ts';
import { nextDue, openAmountOf, refusalOf, statusAfterMoney } from '../invoice.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { queueReceiptMail } from '../notifications/invoice-notifications.ts';
import { creditedSums, settledByRefunds } from './credit-note.store.ts';
import { addCredit, takeCredit } from './customer-credit.store.ts';
import { type InvoiceSums, insertTransaction, type NewTransaction, sumsOf } from './invoice-transaction.store.ts';

/** Money received for an invoice, in its currency. */
export interface InvoiceMoney extends Omit<NewTransaction, 'amount' | 'overpaid'> {
  readonly amount: bigint;
  /** The merchant that sends a receipt. Absent for used credit, because it gets no receipt. */
  readonly receiptFrom?: Merchant;
}

/** Books money for a locked, numbered invoice. An excess over the remaining amount becomes customer credit. */
export async function applyMoney(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  money: InvoiceMoney,
): Promise<InvoiceRow> {
  const amount = least(money.amount, openAmountOf(invoice));
  const overpaid = money.amount - amount;
  const transaction = await insertTransaction(tx, invoice, { ...money, amount, overpaid });
  await addCredit(tx, invoice, overpaid);
  const after = await applySums(tx, context, invoice, {
    sums: { amount_paid: invoice.amount_paid + amount, amount_overpaid: invoice.amount_overpaid + overpaid },
    events: overpaid > 0n ? ['invoice.overpaid'] : [],
    now: money.now,
  });
  const { receiptFrom: merchant, now } = money;
  if (merchant !== undefined) await queueReceiptMail(tx, context, after, { merchant, now }, transaction);
  return after;
}

/**
 * New sums of an invoice, and events in addition to the status event. Without new sums, only a new day can change the
 * status.
 */
interface SumsChange {
  readonly sums: Partial<Pick<InvoiceRow, 'amount_paid' | 'amount_overpaid' | 'amount_credited'>>;
  readonly events: readonly EventType[];
  readonly now: Date;
}

/** Writes new sums, and the status and dates that result from them. */
export async function applySums(
  tx: Tx,
  context: InvoiceViewContext,
  before: InvoiceRow,
  { sums, events, now }: SumsChange,
): Promise<InvoiceRow> {
  const after = { ...before, ...sums };
  const to = statusAfterMoney(after, sellerDay(before, now));
  const isPart = after.amount_paid > before.amount_paid && to !== 'paid';
  const isStep = to === 'partially_paid' && before.status !== to;
  return await changeInvoice(tx, context, before, {
    to,
    set: {
      ...sums,
      overdue_at: overdueAt({ ...after, status: to }),
      ...(to === 'paid' && before.paid_at === null && { paid_at: now }),
      ...(to !== 'paid' && before.status === 'paid' && { paid_at: null, closing_at: null }),
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

/** The current date in the seller's time zone, which a numbered invoice stores. */
export function sellerDay({ seller, id }: InvoiceRow, now: Date): string {
  if (seller === null) throw new Error(`invoice ${id} is a draft`);
  return dayIn(seller.timezone, now);
}

/** Money of a refund or of a failed refund, in minor units of the invoice's currency. */
interface RefundedMoney {
  readonly amount: bigint;
  readonly paymentId: string;
  /** The merchant's clock. */
  readonly now: Date;
}

/**
 * Books a refund. First takes the remaining credit that this invoice gave the customer. `byMerchant`: the merchant
 * starts the refund now. It may then not include credit that the customer has spent; throws `refund_exceeds_payment`.
 * Otherwise the money is already gone.
 */
export async function applyRefund(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  { amount, paymentId, now, byMerchant }: RefundedMoney & { readonly byMerchant: boolean },
): Promise<InvoiceRow> {
  const sums = await sumsOf(tx, invoice);
  const wanted = least(amount, sums.credit);
  const fromCredit = await takeCredit(tx, invoice, wanted);
  const spent = fromCredit < wanted ? sums.credit - fromCredit : 0n;
  if (byMerchant && spent > 0n) assertUnspent(sums, amount, spent);
  await insertTransaction(tx, invoice, {
    type: 'refund',
    amount: fromCredit - amount,
    overpaid: -fromCredit,
    paymentId,
    paidAt: now,
    now,
  });
  return await changeInvoice(tx, context, invoice, {
    set: {
      // Credit from credit notes is not part of the overpaid amount.
      amount_overpaid: invoice.amount_overpaid - least(fromCredit, invoice.amount_overpaid),
      amount_refunded: invoice.amount_refunded + amount,
    },
    now,
  });
}

function assertUnspent({ received, refunded, taken }: InvoiceSums, amount: bigint, spent: bigint): void {
  const left = received - refunded - taken - spent;
  if (amount <= left) return;
  const most = left > 0n ? left : 0n;
  const message = `The customer has already spent ${spent} of this money as credit, so at most ${most} can be refunded.`;
  throw new PayError('refund_exceeds_payment', message, { param: 'amount' });
}

/**
 * Reverses a failed refund. First reverses `free`, the refunded amount that did not come from credit: it counts as paid
 * again. The rest becomes customer credit again. So does a part of `free` that a later credit note covered.
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
    type: 'refund',
    amount: undone,
    overpaid: toCredit,
    paymentId,
    paidAt: now,
    now,
  });
  // A refund takes credit from overpayments first, then credit from notes. A failed refund returns the credit in the
  // opposite order.
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
