import { divideRounded } from '../../core/money.ts';
import { convert, type Rate } from '../../core/rate.ts';
import { post } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import { findQuotedPrices, findReceivedCrypto, type ReceivedCrypto } from '../payments/crypto/deposit.store.ts';
import { findKeptRates } from './arrival-rate.store.ts';
import { arrivalRate, quotedRates } from './arrival-rate.ts';
import { changeInvoice, lockInvoice } from './invoice.store.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { claimUnvalued, type UnvaluedMoney, writeDifference } from './invoice-due.store.ts';

const batch = 20;

/**
 * Finds out what crypto was worth when it came that closed invoices at their quoted amounts, by the rate that was kept with
 * it or the nearest that can be told, and books gain or loss on its own account.
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
  let difference = 0n;
  const received = await findReceivedCrypto(deps.db, { merchantId, paymentId });
  const ids = received.map(({ id }) => id);
  const kept = await findKeptRates(deps.db, merchantId, ids);
  for (const each of received) {
    if (each.value === 0n) continue;
    const rate = kept.get(each.id) ?? (await findRate(deps, money, paymentId, each));
    difference += convert(divideRounded(each.amount * each.applied, each.value), rate) - each.applied;
  }
  await deps.db.transaction().execute(async tx => {
    const invoice = await lockInvoice(tx, { merchantId, invoiceId });
    if (!(await writeDifference(tx, money, difference))) return;
    const postings = move('fx', 'exchange_difference', currency, difference);
    await post(tx, { merchantId, livemode, kind: 'exchange_difference', paymentId, postings, now: clock });
    const sum = (invoice.exchange_difference ?? 0n) + difference;
    await changeInvoice(tx, deps, invoice, { set: { exchange_difference: sum }, now: clock });
  });
}

/** The rate of coins with which none was kept when they were counted. Throws while it cannot be told yet. */
async function findRate(
  deps: InvoiceDeps,
  { merchant_id: merchantId, currency, clock: now }: UnvaluedMoney,
  paymentId: string,
  { asset, arrivedAt }: ReceivedCrypto,
): Promise<Rate> {
  const told = quotedRates(await findQuotedPrices(deps.db, { merchantId, paymentId }), asset);
  const market = await deps.rates.find(asset, currency).catch(() => null);
  const found = arrivalRate(arrivedAt, told, market && { rate: market.rate, at: now }, now);
  if (found === null) throw new Error(`there is no rate from ${asset} to ${currency}`);
  return found.rate;
}
