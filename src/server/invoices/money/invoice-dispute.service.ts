import { least } from '../../../core/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { openAmountOf } from '../invoice.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { addCredit, takeCredit } from './customer-credit.store.ts';
import { applyRefund, applySums, undoRefund } from './invoice-money.service.ts';
import { insertTransaction, sumsOf } from './invoice-transaction.store.ts';

/** Disputed money of a payment, in minor units of the invoice's currency. */
interface DisputedMoney {
  readonly amount: bigint;
  readonly paymentId: string;
  /** The merchant's clock. */
  readonly now: Date;
}

/**
 * Books money that the payer's bank took back, which reopens the invoice. First takes remaining credit that this
 * invoice gave. Credit that the customer has spent does not reopen the invoice, so this part is booked as a refund.
 */
export async function applyDispute(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  { amount, paymentId, now }: DisputedMoney,
): Promise<void> {
  const { credit } = await sumsOf(tx, invoice);
  const fromCredit = await takeCredit(tx, invoice, least(amount, credit));
  const unpaid = least(amount - fromCredit, invoice.amount_paid);
  const entry = { type: 'dispute', paymentId, paidAt: now, now } as const;
  await insertTransaction(tx, invoice, { ...entry, amount: -unpaid, overpaid: -fromCredit });
  const sums = {
    amount_paid: invoice.amount_paid - unpaid,
    amount_overpaid: invoice.amount_overpaid - least(fromCredit, invoice.amount_overpaid),
  };
  const after = await applySums(tx, context, invoice, { sums, events: [], now });
  const rest = amount - fromCredit - unpaid;
  if (rest > 0n) await applyRefund(tx, context, after, { amount: rest, paymentId, now, byMerchant: false });
}

/**
 * Books money of a won dispute. The money pays the invoice again. An excess becomes credit, because the invoice may
 * have been paid meanwhile. `disputed`: what disputes of the payment took off the invoice. Any further amount was
 * booked as a refund.
 */
export async function undoDispute(
  tx: Tx,
  context: InvoiceViewContext,
  invoice: InvoiceRow,
  { amount, disputed, free, paymentId, now }: DisputedMoney & { readonly disputed: bigint; readonly free: bigint },
): Promise<void> {
  const back = least(amount, disputed);
  const paid = least(back, openAmountOf(invoice));
  const overpaid = back - paid;
  const entry = { type: 'dispute', paymentId, paidAt: now, now } as const;
  await insertTransaction(tx, invoice, { ...entry, amount: paid, overpaid });
  await addCredit(tx, invoice, overpaid);
  const sums = {
    amount_paid: invoice.amount_paid + paid,
    amount_overpaid: invoice.amount_overpaid + overpaid,
  };
  const after = await applySums(tx, context, invoice, { sums, events: [], now });
  if (amount > back) await undoRefund(tx, context, after, { amount: amount - back, free, paymentId, now });
}
