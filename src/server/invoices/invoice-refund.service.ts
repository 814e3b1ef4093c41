import { least } from '../../core/money.ts';
import type { Tx } from '../platform/db/database.ts';
import { creditedSums, settledByRefunds } from './credit-note.store.ts';
import { addCredit, takeCredit } from './customer-credit.store.ts';
import { changeInvoice } from './invoice.store.ts';
import type { InvoiceRow } from './invoice.view.ts';
import type { InvoiceContext } from './invoice-deps.ts';
import { insertTransaction, sideSums } from './invoice-transaction.store.ts';

/** Money of a payment that goes back, or that turned out not to have; in minor units of the invoice's currency. */
export interface RefundedMoney {
  readonly amount: bigint;
  readonly paymentId: string;
  /** The merchant's clock. */
  readonly now: Date;
}

/** Money of a payment goes back to the customer: of the credit it made first, as far as that is still there. */
export async function applyRefund(
  tx: Tx,
  context: InvoiceContext,
  invoice: InvoiceRow,
  { amount, paymentId, now }: RefundedMoney,
): Promise<InvoiceRow> {
  const { credit } = await sideSums(tx, invoice);
  const fromCredit = await takeCredit(tx, invoice, least(amount, credit));
  await insertTransaction(tx, invoice, {
    ...{ type: 'refund', amount: fromCredit - amount, overpaid: -fromCredit, paymentId, paidAt: now, now },
  });
  return await changeInvoice(tx, context, invoice, {
    set: {
      // Credit of a credit note was not overpaid.
      amount_overpaid: invoice.amount_overpaid - least(fromCredit, invoice.amount_overpaid),
      amount_refunded: invoice.amount_refunded + amount,
    },
    now,
  });
}

/**
 * A refund that had been counted did not arrive: the money is the merchant's again, and the credit it was taken out of
 * the customer's. `free` is what went back of the payment and was not taken out of credit: it is undone first, but for
 * what a credit note has meanwhile counted on as gone back; that is owed to the customer, as credit.
 */
export async function undoRefund(
  tx: Tx,
  context: InvoiceContext,
  invoice: InvoiceRow,
  { amount, free, paymentId, now }: RefundedMoney & { readonly free: bigint },
): Promise<InvoiceRow> {
  const sums = await sideSums(tx, invoice);
  const countedOn = settledByRefunds(invoice, await creditedSums(tx, invoice));
  const undone = least(amount, least(free, sums.refunded - countedOn));
  const toCredit = amount - undone;
  await addCredit(tx, invoice, toCredit);
  await insertTransaction(tx, invoice, {
    ...{ type: 'refund', amount: undone, overpaid: toCredit, paymentId, paidAt: now, now },
  });
  // Refunds take what was overpaid before what credit notes gave, so that is given back first.
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
