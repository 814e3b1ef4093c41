import type { PaymentPhase } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Tx } from '../db/database.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { type Merchant, toleranceOf } from '../merchants/merchant.ts';
import { judgeReceived } from '../payments/payment.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { PaymentFollower } from '../payments/payment-follower.ts';
import { findInvoice, lockInvoice } from './invoice.store.ts';
import type { InvoiceContext } from './invoice-deps.ts';
import { applyMoney, applyRefund, undoRefund } from './invoice-money.service.ts';
import { countedOf } from './invoice-transaction.store.ts';

/** Counts payments towards their invoices, in the transaction of each change. */
export function createInvoiceFollower(context: InvoiceContext): PaymentFollower {
  return {
    onChange: async (tx, payment, { before, now }) => {
      if (payment.invoice === null) return;
      if (before.phase === 'awaiting_payer' && beginning.has(payment.phase)) await assertNotVoid(tx, payment);
      if (payment.completed_at === null || !mattersTo(before, payment)) return;
      await count(tx, context, payment, payment.invoice, now);
    },
    refuseMoney: async (tx, payment) => {
      if (payment.invoice === null) return null;
      const invoice = await findInvoice(tx, { merchantId: payment.merchant_id, invoiceId: payment.invoice });
      if (invoice?.status !== 'void') return null;
      return { code: 'invoice_void', message: 'The invoice was canceled. What was paid goes back.' };
    },
  };
}

/** The phases by which a payer begins to pay. */
const beginning: ReadonlySet<PaymentPhase> = new Set(['processing', 'requires_action', 'awaiting_funds']);

/** The invoice is locked, so that it is not voided while somebody begins to pay it. Throws `illegal_state`. */
async function assertNotVoid(tx: Tx, { merchant_id: merchantId, invoice }: PaymentRow): Promise<void> {
  const { status } = await lockInvoice(tx, { merchantId, invoiceId: invoice ?? '' });
  if (status === 'void') throw new PayError('illegal_state', 'The invoice was canceled. There is nothing to pay.');
}

const sums = ['amount_received', 'amount_suspense', 'amount_refunded', 'amount_refunding', 'completed_at'] as const;

function mattersTo(before: PaymentRow, after: PaymentRow): boolean {
  return sums.some(name => String(before[name]) !== String(after[name]));
}

async function count(
  tx: Tx,
  context: InvoiceContext,
  payment: PaymentRow,
  invoiceId: string,
  now: Date,
): Promise<void> {
  const invoice = await lockInvoice(tx, { merchantId: payment.merchant_id, invoiceId });
  const merchant = await findMerchant(tx, payment.merchant_id);
  if (merchant === null) throw new Error(`merchant ${payment.merchant_id} is gone`);
  const { counted, refunded } = await countedOf(tx, payment.merchant_id, payment.id);
  const change = keptOf(payment, merchant) - (counted - refunded);
  const paymentId = payment.id;
  if (change < 0n) {
    const givenBack = payment.amount_refunded + payment.amount_refunding - refunded;
    const amount = -change < givenBack ? -change : givenBack;
    if (amount > 0n) await applyRefund(tx, context, invoice, { amount, paymentId, now });
    return;
  }
  const undone = change < refunded ? change : refunded;
  const current = undone > 0n ? await undoRefund(tx, context, invoice, { amount: undone, paymentId, now }) : invoice;
  const amount = change - undone;
  if (amount === 0n) return;
  await applyMoney(tx, context, current, {
    ...{ type: 'payment', amount, paymentId, method: payment.method, reference: payment.reference, paidAt: now, now },
    thanks: merchant,
    // What crypto was worth when it came is found out afterwards: no price is asked for within a transaction.
    ...(payment.method === 'crypto' && counted === 0n && { exchangeDueAt: now }),
  });
}

/**
 * What the merchant keeps of a completed payment, as far as the invoice is concerned. A payment within the tolerance paid
 * its whole amount, whatever a rate did since it was quoted; one that was taken as enough pays what came.
 */
function keptOf(payment: PaymentRow, merchant: Merchant): bigint {
  const { amount, amount_received: received } = payment;
  const kept = received - payment.amount_suspense - payment.amount_refunded - payment.amount_refunding;
  const isForgiven = received < amount && judgeReceived(amount, received, toleranceOf(merchant)).phase === 'paid';
  return isForgiven ? kept + amount - received : kept;
}
