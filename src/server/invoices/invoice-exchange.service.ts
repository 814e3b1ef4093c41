import { divideRounded } from '../../core/money.ts';
import { convert } from '../../core/rate.ts';
import { post } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import { changeInvoice, lockInvoice } from './invoice.store.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { claimUnvalued, type UnvaluedMoney, writeDifference } from './invoice-due.store.ts';
import { type ChainMoney, chainMoney } from './invoice-payment.store.ts';

const batch = 20;

/**
 * Finds out what crypto was worth that closed invoices at their quoted amounts, and books gain or loss on its own account.
 * The invoice itself stays as paid as it is, whatever the market did. Returns how many were looked at.
 */
export async function valueCrypto(deps: InvoiceDeps): Promise<number> {
  const due = await claimUnvalued(deps.db, deps.clock.now(), batch);
  for (const money of due) {
    await value(deps, money).catch(error => {
      deps.log.warn({ err: error, invoice: money.invoice_id }, 'the worth of crypto is not known yet');
    });
  }
  return due.length;
}

async function value(deps: InvoiceDeps, money: UnvaluedMoney): Promise<void> {
  const { merchant_id: merchantId, payment_id: paymentId, invoice_id: invoiceId, livemode, currency, clock } = money;
  if (paymentId === null) return;
  const arrived = await chainMoney(deps.db, { merchantId, paymentId });
  let difference = 0n;
  let onBooks = 0n;
  for (const each of arrived) {
    const gain = (await worthOf(deps, each, currency)) - each.applied;
    difference += gain;
    // What was paid straight to the merchant is on no books.
    if (each.custodial) onBooks += gain;
  }
  await deps.db.transaction().execute(async tx => {
    const invoice = await lockInvoice(tx, { merchantId, invoiceId });
    if (!(await writeDifference(tx, money, difference))) return;
    const postings = move('fx', 'exchange_difference', currency, onBooks);
    await post(tx, { merchantId, livemode, kind: 'exchange_difference', paymentId, postings, now: clock });
    const sum = (invoice.exchange_difference ?? 0n) + difference;
    await changeInvoice(tx, deps, invoice, { set: { exchange_difference: sum }, now: clock });
  });
}

/** What the part of a transfer that was counted is worth at the market. */
async function worthOf({ rates }: InvoiceDeps, { asset, amount, applied, value }: ChainMoney, currency: string) {
  if (value === 0n) return 0n;
  const { rate } = await rates.find(asset, currency);
  return convert(divideRounded(amount * applied, value), rate);
}
