import { PayError } from '../../core/error.ts';
import { least } from '../../core/money.ts';
import { post } from '../ledger/ledger.store.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { judgeReceived, type Tolerance } from '../payments/payment.ts';
import { givenBack, heldOf } from '../payments/payment-funds.ts';
import { ownerOf, sumKept } from '../payments/payment-owner.store.ts';
import { type MoneyRefusal, type OwnedChange, ownerIdOf, type PaymentPurpose } from '../payments/payment-purpose.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Tx } from '../platform/db/database.ts';
import { findByPlainName } from '../platform/db/plain-name.ts';
import { toleranceOf } from '../platform/merchant.ts';
import { closeAgain, findInvoice, type InvoiceKey, lockInvoice } from './invoice.store.ts';
import { openAmountOf, refusalOf } from './invoice.ts';
import type { InvoiceRow, InvoiceViewContext } from './invoice.view.ts';
import { applyDispute, undoDispute } from './money/invoice-dispute.service.ts';
import { applyMoney, applyRefund, undoRefund } from './money/invoice-money.service.ts';
import { tolerancePosting } from './money/invoice-posting.ts';
import { countedOf, countedOfOthers } from './money/invoice-transaction.store.ts';
import type { ReceiptRates } from './money/receipt-exchange-rate.service.ts';

/**
 * The rules for payments of an invoice. A paid or void invoice accepts no new payer. Late money for a paid invoice
 * becomes credit; late money for a void invoice waits in suspense. Crypto keeps the exchange rate of its arrival.
 */
export function createInvoicePurpose(
  context: InvoiceViewContext,
  rates: ReceiptRates,
  startForCredit: NonNullable<PaymentPurpose['startForCredit']>,
): PaymentPurpose {
  return {
    type: 'invoice',
    mailsReceipts: true,
    paysOneAmount: true,
    startForCredit,
    findNamed: (db, scope, names) => findByPlainName(db, { table: 'invoices', column: 'number' }, scope, names),
    wireFields: invoiceId => ({ invoice: invoiceId }),
    assertMayPay: async (tx, { payment }) => {
      // The lock prevents that the invoice is paid or made void at the same time.
      const refusal = refusalOf(await lockInvoice(tx, keyOf(payment)));
      if (refusal !== null) throw new PayError('illegal_state', refusal.message);
    },
    attemptEnded: async (tx, { payment, now }) => {
      if (payment.phase === 'awaiting_payer') await closeAgain(tx, keyOf(payment), now);
    },
    refuseMoney: async (tx, payment) => {
      const invoice = await findInvoice(tx, keyOf(payment));
      return invoice?.status === 'void' ? voidRefusal : null;
    },
    moneyReceived: async (tx, { payment, now }) => {
      if (payment.method === 'crypto') await rates.store(tx, payment, now);
    },
    countMoney: async (tx, change) => await countMoney(tx, context, change),
    endedError: ({ failure_code: code, failure_message: message }) =>
      code?.startsWith('invoice_') && message !== null ? new PayError('illegal_state', message) : null,
    prepareForCrypto: incoming => rates.ask(incoming),
  };
}

/** The message for the payer of a void invoice. The money waits in suspense for the merchant's decision. */
const voidRefusal: MoneyRefusal = {
  code: 'invoice_void',
  message:
    'The invoice was canceled before your money arrived. Your money is safe: the sender of the invoice decides whether it goes back to you or is kept as your credit.',
};

function keyOf(payment: PaymentRow): InvoiceKey {
  return { merchantId: payment.merchant_id, invoiceId: ownerIdOf(payment) };
}

/** Books a change of the payment on its invoice: new money, a refund, a failed refund, or a dispute. */
async function countMoney(tx: Tx, context: InvoiceViewContext, { before, payment, now }: OwnedChange): Promise<void> {
  const invoice = await lockInvoice(tx, keyOf(payment));
  const merchant = await findMerchant(tx, payment.merchant_id);
  if (merchant === null) throw new Error(`merchant ${payment.merchant_id} does not exist`);
  const { applied, counted, refunded, fromCredit, disputed } = await countedOf(tx, payment.merchant_id, payment.id);
  const booked = counted - refunded - disputed;
  const undoing = { free: refunded - fromCredit, paymentId: payment.id, now };
  if (payment.amount_disputed !== before.amount_disputed) {
    const lost = heldOf(before) - heldOf(payment);
    if (lost > 0n) await applyDispute(tx, context, invoice, { amount: lost, paymentId: payment.id, now });
    if (lost < 0n) await undoDispute(tx, context, invoice, { ...undoing, amount: -lost, disputed });
    return;
  }
  const earlier = before.completed_at === null ? 0n : booked - heldOf(before);
  const forgiven =
    before.completed_at === null
      ? await toleratedOf(tx, payment, invoice, {
          missing: missingOf(payment, openAmountOf(invoice) + applied),
          tolerance: toleranceOf(merchant),
        })
      : stillForgiven(before, payment, earlier);
  const change = heldOf(payment) + forgiven - booked;
  const paymentId = payment.id;
  await post(tx, [tolerancePosting(invoice, { paymentId, amount: forgiven - earlier, now })]);
  if (change < 0n) {
    const byMerchant = payment.amount_refunding > before.amount_refunding;
    await applyRefund(tx, context, invoice, { amount: -change, paymentId, now, byMerchant });
    return;
  }
  const undone = change < refunded ? change : refunded;
  const current = undone > 0n ? await undoRefund(tx, context, invoice, { ...undoing, amount: undone }) : invoice;
  const amount = change - undone;
  if (amount === 0n) return;
  await applyMoney(tx, context, current, {
    type: 'payment',
    amount,
    paymentId,
    method: payment.method,
    reference: payment.reference,
    paidAt: now,
    now,
    receiptFrom: merchant,
    // The exchange difference of crypto is booked later, because it may need a market rate from the network.
    ...(payment.method === 'crypto' && counted === 0n && { exchangeDueAt: now }),
  });
}

/**
 * The forgiven amount (see `toleratedOf`) that later money has not paid. Only later money reduces it: refunds and
 * changed tolerances do not. `forgiven`: the forgiven amount before the change.
 */
function stillForgiven(before: PaymentRow, after: PaymentRow, forgiven: bigint): bigint {
  const taken = givenBack(before) === givenBack(after) ? heldOf(after) - heldOf(before) : 0n;
  return forgiven > taken ? forgiven - taken : 0n;
}

/**
 * The amount that the payment still lacks, at most what the invoice still lacks. `open`: the most that this payment may
 * pay of the invoice in total.
 */
function missingOf({ amount, amount_received: received, amount_suspense: suspense }: PaymentRow, open: bigint): bigint {
  const missing = least(amount - received, open - (received - suspense));
  return missing > 0n ? missing : 0n;
}

/**
 * The forgiven amount of a payment that completes although a little is missing. The payment then counts as paid in
 * full, at the quoted rate. The tolerance applies once per invoice: the forgiven amounts of all its payments together
 * must be within it.
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

/** The sum of forgiven amounts of the invoice's other payments, in minor units. */
async function forgivenOfOthers(tx: Tx, payment: PaymentRow): Promise<bigint> {
  const counted = await countedOfOthers(tx, keyOf(payment), payment.id);
  return counted - (await sumKept(tx, ownerOf(payment), payment.id));
}
