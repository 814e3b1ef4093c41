import { divideRounded } from '../../../core/money.ts';
import { convert, type Rate } from '../../../core/rate.ts';
import { post } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import {
  findQuotedPrices,
  findReceivedCrypto,
  type QuotedPrice,
  type ReceivedCrypto,
} from '../../payments/crypto/deposit.store.ts';
import type { IncomingCrypto } from '../../payments/payment-purpose.ts';
import type { PaymentRow } from '../../payments/tables.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Rates } from '../../rates/rates.ts';
import { changeInvoice, lockInvoice } from '../invoice.store.ts';
import type { InvoiceDeps } from '../invoice.view.ts';
import {
  claimUnvalued,
  type DatedRate,
  findStoredRates,
  storeRates,
  type UnvaluedMoney,
  writeDifference,
} from './invoice-transaction.store.ts';

/** Milliseconds to wait for a market rate. Then the received money is booked without a rate. */
const timeoutMs = 2_000;
/** Milliseconds for which a market rate is reused. */
const holdMs = 10_000;

/** Stores the exchange rate of received crypto. Queries the market before the transaction that books the crypto. */
export interface ReceiptRates {
  /** Queries market rates for crypto that will be booked next. A rate that is missing now is looked up later. */
  ask(incoming: readonly IncomingCrypto[]): Promise<void>;
  /**
   * Stores the rates of the payment's crypto, in the transaction that books the crypto. `now` is the merchant's clock.
   */
  store(tx: Tx, payment: PaymentRow, now: Date): Promise<void>;
}

/** Creates the receipt rates for crypto that pays invoices. */
export function createReceiptRates({ rates, clock }: Pick<InvoiceDeps, 'rates' | 'clock'>): ReceiptRates {
  const answers = new Map<string, { readonly rate: Rate; readonly readAt: number }>();

  async function askFor(asset: string, currency: string): Promise<void> {
    const market = await answerInTime(rates, asset, currency);
    if (market !== null) answers.set(`${asset}>${currency}`, { rate: market.rate, readAt: clock.now().getTime() });
    else answers.delete(`${asset}>${currency}`);
  }

  return {
    ask: async incoming => {
      const pairs = new Map(
        incoming.map(({ asset, currency }) => [`${asset}>${currency}`, [asset, currency] as const]),
      );
      await Promise.all([...pairs.values()].map(pair => askFor(...pair)));
    },
    store: async (tx, { merchant_id: merchantId, id: paymentId, currency }, now) => {
      const received = await findReceivedCrypto(tx, { merchantId, paymentId });
      const priced = received.flatMap(crypto => {
        const market = answers.get(`${crypto.asset}>${currency}`);
        const age = market === undefined ? -1 : clock.now().getTime() - market.readAt;
        return market === undefined || age < 0 || age > holdMs ? [] : [{ ...crypto, market: market.rate }];
      });
      if (priced.length === 0) return;
      const prices = await findQuotedPrices(tx, { merchantId, paymentId });
      const found = priced.flatMap(({ id, asset, arrivedAt, market }) => {
        const rate = receiptRate(arrivedAt, quotedRates(prices, asset), { rate: market, at: now }, now);
        return rate === null ? [] : [{ ...rate, transferId: id }];
      });
      await storeRates(tx, { merchantId, currency }, found);
    },
  };
}

/** The market rate. Null after the timeout, because received money must not wait long for its rate. */
async function answerInTime(rates: Rates, from: string, to: string) {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>(resolve => {
    timer = setTimeout(resolve, timeoutMs, null);
  });
  const market = rates.find(from, to).catch(() => null);
  return await Promise.race([market, tooLate]).finally(() => clearTimeout(timer));
}

const batch = 20;

/**
 * Computes the exchange difference of crypto that paid invoices: its value at arrival, minus the quoted amount. Books
 * the difference in a separate ledger account, and does not change the paid amount. Returns the number of payments.
 */
export async function valueCrypto(deps: InvoiceDeps): Promise<number> {
  const due = await claimUnvalued(deps.db, deps.clock.now(), batch);
  for (const money of due) {
    await value(deps, money).catch(error => {
      deps.log.warn({ err: error, invoice: money.invoice_id }, 'the value of the crypto payment is not known yet');
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
  const kept = await findStoredRates(deps.db, merchantId, ids);
  for (const each of received) {
    if (each.value === 0n) continue;
    const rate = kept.get(each.id) ?? (await findRate(deps, money, paymentId, each));
    difference += convert(divideRounded(each.amount * each.applied, each.value), rate) - each.applied;
  }
  await deps.db.transaction().execute(async tx => {
    const invoice = await lockInvoice(tx, { merchantId, invoiceId });
    if (!(await writeDifference(tx, money, difference))) return;
    const postings = move('fx', 'exchange_difference', currency, difference);
    await post(tx, [{ merchantId, livemode, kind: 'exchange_difference', paymentId, postings, now: clock }]);
    const sum = (invoice.exchange_difference ?? 0n) + difference;
    await changeInvoice(tx, deps, invoice, { set: { exchange_difference: sum }, now: clock });
  });
}

/** The rate of crypto without a stored rate. Throws while no rate is known. */
async function findRate(
  deps: InvoiceDeps,
  { merchant_id: merchantId, currency, clock: now }: UnvaluedMoney,
  paymentId: string,
  { asset, arrivedAt }: ReceivedCrypto,
): Promise<Rate> {
  const quoted = quotedRates(await findQuotedPrices(deps.db, { merchantId, paymentId }), asset);
  const market = await deps.rates.find(asset, currency).catch(() => null);
  const found = receiptRate(arrivedAt, quoted, market && { rate: market.rate, at: now }, now);
  if (found === null) throw new Error(`there is no rate from ${asset} to ${currency}`);
  return found.rate;
}

/** Milliseconds after the arrival of crypto in which the current market rate is its value. */
const presentMs = 120_000;

/**
 * The rate that values received crypto. Shortly after the arrival, it is the market rate. Later, it is the rate closest
 * in time to the arrival: a quote of the payment, or the market rate. Null if a needed market rate is unknown.
 */
function receiptRate(
  arrived: Date,
  quoted: readonly DatedRate[],
  market: DatedRate | null,
  now: Date,
): DatedRate | null {
  const distance = (moment: Date) => Math.abs(moment.getTime() - arrived.getTime());
  const [nearest] = quoted.toSorted((a, b) => distance(a.at) - distance(b.at));
  const isPresent = distance(now) <= presentMs;
  if (isPresent || nearest === undefined || distance(now) < distance(nearest.at)) return market;
  return nearest;
}

/**
 * Rates of the quotes that the payer received in an asset: from the asset's smallest unit to the currency's minor unit.
 */
function quotedRates(prices: readonly QuotedPrice[], asset: string): DatedRate[] {
  const own = prices.filter(price => price.asset === asset);
  return own.map(({ amount, payment_amount: value, created_at: at }) => ({
    rate: { numerator: value, denominator: amount },
    at,
  }));
}
