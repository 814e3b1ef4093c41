import { least } from '../../core/money.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { judgeReceived, type Tolerance } from '../payments/payment.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { givenBack, keptOf } from '../payments/payment-funds.ts';
import { ownerOf, sumKept } from '../payments/payment-owner.store.ts';
import { type MoneyRefusal, type OwnedChange, ownerIdOf, type PaymentPurpose } from '../payments/payment-purpose.ts';
import type { Tx } from '../platform/db/database.ts';
import { toleranceOf } from '../platform/merchant.ts';
import { findInvoice, type InvoiceKey, lockInvoice } from './invoice.store.ts';
import { remainingOf } from './invoice.ts';
import type { InvoiceRow } from './invoice.view.ts';
import type { InvoiceContext } from './invoice-deps.ts';
import { closeAgain } from './invoice-due.store.ts';
import { applyMoney, applyRefund, undoRefund } from './money/invoice-money.service.ts';
import { countedOf, countedOfOthers } from './money/invoice-transaction.store.ts';
import type { ArrivalRates } from './money/receipt-exchange-rate.service.ts';
import { assertAsksForMoney, endedError } from './pages/invoice-pay.service.ts';

/**
 * Invoices as a purpose of payments. An invoice that is paid or void takes no new payer; money that was on its way to a
 * paid invoice becomes credit, and money for a void one is refused. Crypto keeps the exchange rate of its arrival.
 */
export function createInvoicePurpose(context: InvoiceContext, rates: ArrivalRates): PaymentPurpose {
  return {
    type: 'invoice',
    wireFields: invoiceId => ({ invoice: invoiceId }),
    assertMayPay: async (tx, { payment }) => await assertAsksForMoney(tx, payment),
    attemptEnded: async (tx, { payment, now }) => {
      if (payment.phase === 'awaiting_payer') await closeAgain(tx, keyOf(payment), now);
    },
    refuseMoney: async (tx, payment) => {
      const invoice = await findInvoice(tx, keyOf(payment));
      return invoice?.status === 'void' ? voidRefusal : null;
    },
    moneyReceived: async (tx, { payment, now }) => {
      if (payment.method === 'crypto') await rates.keep(tx, payment, now);
    },
    countMoney: async (tx, change) => await count(tx, context, change),
    endedError,
    prepareForCrypto: incoming => rates.ask(incoming),
  };
}

/** What a payer reads whose money came for a canceled invoice: it is late, and waits for the merchant. */
const voidRefusal: MoneyRefusal = {
  code: 'invoice_void',
  message:
    'The invoice was canceled before your money came. Your money is safe: whoever sent the invoice decides whether it goes back to you or is kept as your credit.',
};

/** The invoice that the payment is for. */
function keyOf(payment: PaymentRow): InvoiceKey {
  return { merchantId: payment.merchant_id, invoiceId: ownerIdOf(payment) };
}

async function count(tx: Tx, context: InvoiceContext, { before, payment, now }: OwnedChange): Promise<void> {
  const invoice = await lockInvoice(tx, keyOf(payment));
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

/**
 * What was forgiven once stays so, whatever the merchant forgives meanwhile, and whatever goes back: only what the merchant
 * keeps of money that came later takes its place. `counted` is what was counted of the payment before the change.
 */
function stillForgiven(before: PaymentRow, after: PaymentRow, counted: bigint): bigint {
  const forgiven = counted - keptOf(before);
  const taken = givenBack(before) === givenBack(after) ? keptOf(after) - keptOf(before) : 0n;
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
  const inAll = missing + (await forgivenOfOthers(tx, payment));
  return judgeReceived(total, total - inAll, tolerance).phase === 'paid' ? missing : 0n;
}

/** How much more than the kept amount was counted of the invoice's other payments, within their tolerance. Minor units. */
async function forgivenOfOthers(tx: Tx, payment: PaymentRow): Promise<bigint> {
  const counted = await countedOfOthers(tx, keyOf(payment), payment.id);
  return counted - (await sumKept(tx, ownerOf(payment), payment.id));
}
