import { least } from '../../core/money.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { toleranceOf } from '../merchants/merchant.ts';
import { judgeReceived, type Tolerance } from '../payments/payment.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { MoneyRefusal, PaymentFollower } from '../payments/payment-purpose.ts';
import type { Tx } from '../platform/db/database.ts';
import type { ArrivalRates } from './arrival-rate.service.ts';
import { findInvoice, lockInvoice } from './invoice.store.ts';
import { remainingOf } from './invoice.ts';
import type { InvoiceRow } from './invoice.view.ts';
import { closeAgain } from './invoice-closing.store.ts';
import type { InvoiceContext } from './invoice-deps.ts';
import { applyMoney } from './invoice-money.service.ts';
import { forgivenBefore } from './invoice-payment.store.ts';
import { applyRefund, undoRefund } from './invoice-refund.service.ts';
import { asksForMoney, assertAsksForMoney } from './invoice-refusal.ts';
import { countedOf } from './invoice-transaction.store.ts';

/** Counts payments towards their invoices, in the transaction of each change. */
export function createInvoiceFollower(context: InvoiceContext, rates: ArrivalRates): PaymentFollower {
  return {
    beforeCoins: coins => rates.ask(coins),
    onChange: async (tx, payment, { before, now }) => {
      if (payment.invoice === null) return;
      if (asksForMoney(before, payment)) await assertAsksForMoney(tx, payment);
      if (comesToRest(before, payment)) await closeAgain(tx, keyOf(payment, payment.invoice), now);
      if (payment.method === 'crypto' && payment.amount_received > before.amount_received) {
        await rates.keep(tx, payment, now);
      }
      if (payment.completed_at === null || !mattersTo(before, payment)) return;
      await count(tx, context, payment.invoice, { before, payment, now });
    },
    refuseMoney: async (tx, payment) => {
      if (payment.invoice === null) return null;
      const invoice = await findInvoice(tx, { merchantId: payment.merchant_id, invoiceId: payment.invoice });
      if (invoice?.status !== 'void') return null;
      return voidRefusal;
    },
  };
}

/** What a payer reads whose money came for a canceled invoice: it is late, and waits for the merchant. */
const voidRefusal: MoneyRefusal = {
  code: 'invoice_void',
  message:
    'The invoice was canceled before your money came. Your money is safe: whoever sent the invoice decides whether it goes back to you or is kept as your credit.',
};

/** An attempt came to nothing: nobody is at work on the payment any more. */
function comesToRest(before: PaymentRow, after: PaymentRow): boolean {
  return after.phase === 'awaiting_payer' && before.phase !== after.phase;
}

function keyOf({ merchant_id: merchantId }: PaymentRow, invoiceId: string) {
  return { merchantId, invoiceId };
}

/** What comes on top and goes back again was never the merchant's: the invoice does not hear of it. */
function mattersTo(before: PaymentRow, after: PaymentRow): boolean {
  return before.completed_at === null || keptOf(before) !== keptOf(after);
}

/** A change of a payment whose money counts. */
interface Change {
  readonly before: PaymentRow;
  readonly payment: PaymentRow;
  readonly now: Date;
}

async function count(
  tx: Tx,
  context: InvoiceContext,
  invoiceId: string,
  { before, payment, now }: Change,
): Promise<void> {
  const invoice = await lockInvoice(tx, { merchantId: payment.merchant_id, invoiceId });
  const merchant = await findMerchant(tx, payment.merchant_id);
  if (merchant === null) throw new Error(`merchant ${payment.merchant_id} is gone`);
  const known = await countedOf(tx, payment.merchant_id, payment.id);
  const { counted, refunded, fromCredit } = known;
  const forgiven =
    before.completed_at === null
      ? await toleratedOf(tx, payment, invoice, {
          missing: missingOf(payment, openOf(invoice) + known.applied),
          tolerance: toleranceOf(merchant),
        })
      : stillForgiven(before, payment, counted - refunded);
  const change = keptOf(payment) + forgiven - (counted - refunded);
  const paymentId = payment.id;
  if (change < 0n) {
    await applyRefund(tx, context, invoice, { amount: -change, paymentId, now });
    return;
  }
  const undone = change < refunded ? change : refunded;
  const undoing = { amount: undone, free: refunded - fromCredit, paymentId, now };
  const current = undone > 0n ? await undoRefund(tx, context, invoice, undoing) : invoice;
  const amount = change - undone;
  if (amount === 0n) return;
  await applyMoney(tx, context, current, {
    ...{ type: 'payment', amount, paymentId, method: payment.method, reference: payment.reference, paidAt: now, now },
    thanks: merchant,
    // What crypto was worth when it came is booked afterwards: it may have to be found out, and that waits for the market.
    ...(payment.method === 'crypto' && counted === 0n && { exchangeDueAt: now }),
  });
}

/** What the merchant keeps of what came for a completed payment. */
function keptOf(payment: PaymentRow): bigint {
  return payment.amount_received - payment.amount_suspense - givenOf(payment);
}

/** What went back of a payment, and what is on its way back. */
function givenOf(payment: PaymentRow): bigint {
  return payment.amount_refunded + payment.amount_refunding;
}

/**
 * What was forgiven once stays so, whatever the merchant forgives meanwhile, and whatever goes back: only what the merchant
 * keeps of money that came later takes its place. `counted` is what was counted of the payment before the change.
 */
function stillForgiven(before: PaymentRow, after: PaymentRow, counted: bigint): bigint {
  const forgiven = counted - keptOf(before);
  const taken = givenOf(before) === givenOf(after) ? keptOf(after) - keptOf(before) : 0n;
  return forgiven > taken ? forgiven - taken : 0n;
}

/**
 * What is missing of what the payment was for, and no more than is missing of the invoice: what nobody owes is not forgiven,
 * or it would be the customer's credit. `open` is what of the invoice this payment may pay.
 */
function missingOf({ amount, amount_received: received, amount_suspense: suspense }: PaymentRow, open: bigint): bigint {
  const missing = least(amount - received, open - (received - suspense));
  return missing > 0n ? missing : 0n;
}

/** What is still to be paid of the invoice by anybody. */
function openOf(invoice: InvoiceRow): bigint {
  return invoice.status === 'void' ? 0n : remainingOf(invoice);
}

/**
 * What may be missing of a completed payment: within the tolerance it paid its whole amount, whatever a rate did since it
 * was quoted. An invoice forgives once, not once for each part in which it is paid: all that is missing together must be
 * within the tolerance of its total.
 */
async function toleratedOf(
  tx: Tx,
  payment: PaymentRow,
  { total }: InvoiceRow,
  { missing, tolerance }: { readonly missing: bigint; readonly tolerance: Tolerance },
): Promise<bigint> {
  if (missing === 0n || judgeReceived(payment.amount, payment.amount_received, tolerance).phase !== 'paid') return 0n;
  const inAll = missing + (await forgivenBefore(tx, payment));
  return judgeReceived(total, total - inAll, tolerance).phase === 'paid' ? missing : 0n;
}
