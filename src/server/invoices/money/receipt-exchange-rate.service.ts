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
import type { PaymentRow } from '../../payments/payment.view.ts';
import type { IncomingCrypto } from '../../payments/payment-purpose.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Rates } from '../../rates/rates.ts';
import { changeInvoice, lockInvoice } from '../invoice.store.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { claimUnvalued, type UnvaluedMoney, writeDifference } from '../invoice-due.store.ts';
import { type DatedRate, findKeptRates, keepRates } from './receipt-exchange-rate.store.ts';

/** What keeping rates needs. */
export type ArrivalRateDeps = Pick<InvoiceDeps, 'rates' | 'clock'>;

/** How long money waits to be counted for the market to answer, in milliseconds. */
const patienceMs = 2_000;
/** How long an answer of the market may be used by what is counted after it. */
const holdMs = 10_000;

/** Keeps with coins what they were worth when they were counted: the market is asked before, and remembered for a moment. */
export interface ArrivalRates {
  /** Asks the market about coins that are about to be counted. What it does not say is found out later. */
  ask(incoming: readonly IncomingCrypto[]): Promise<void>;
  /** Keeps what it said with the coins of a payment, in the transaction that counts them. `now` is the merchant's clock. */
  keep(tx: Tx, payment: PaymentRow, now: Date): Promise<void>;
}

/** Rates for the coins that pay invoices. */
export function createArrivalRates({ rates, clock }: ArrivalRateDeps): ArrivalRates {
  const heard = new Map<string, { readonly rate: DatedRate['rate']; readonly readAt: number }>();

  async function hear(asset: string, currency: string): Promise<void> {
    const market = await answerInTime(rates, asset, currency);
    if (market !== null) heard.set(`${asset}>${currency}`, { rate: market.rate, readAt: clock.now().getTime() });
    else heard.delete(`${asset}>${currency}`);
  }

  return {
    ask: async incoming => {
      const pairs = new Map(
        incoming.map(({ asset, currency }) => [`${asset}>${currency}`, [asset, currency] as const]),
      );
      await Promise.all([...pairs.values()].map(pair => hear(...pair)));
    },
    keep: async (tx, { merchant_id: merchantId, id: paymentId, currency }, now) => {
      const received = await findReceivedCrypto(tx, { merchantId, paymentId });
      const priced = received.flatMap(crypto => {
        const market = heard.get(`${crypto.asset}>${currency}`);
        const age = market === undefined ? -1 : clock.now().getTime() - market.readAt;
        return market === undefined || age < 0 || age > holdMs ? [] : [{ ...crypto, market: market.rate }];
      });
      if (priced.length === 0) return;
      const prices = await findQuotedPrices(tx, { merchantId, paymentId });
      const found = priced.flatMap(({ id, asset, arrivedAt, market }) => {
        const rate = arrivalRate(arrivedAt, quotedRates(prices, asset), { rate: market, at: now }, now);
        return rate === null ? [] : [{ ...rate, transferId: id }];
      });
      await keepRates(tx, { merchantId, currency }, found);
    },
  };
}

/** What the market says; null when it says nothing in time. Money is never held up for its price. */
async function answerInTime(rates: Rates, from: string, to: string) {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>(resolve => {
    timer = setTimeout(resolve, patienceMs, null);
  });
  const market = rates.find(from, to).catch(() => null);
  return await Promise.race([market, tooLate]).finally(() => clearTimeout(timer));
}

const batch = 20;

/**
 * Values the crypto that paid invoices at quoted amounts, by the rate kept at its arrival or the nearest known one.
 * Books the gain or loss on an account of its own. The invoice's paid amount does not change. Returns how many were
 * looked at.
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
    await post(tx, [{ merchantId, livemode, kind: 'exchange_difference', paymentId, postings, now: clock }]);
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

/** The market this long after an arrival still counts as the market at the arrival: no price is believed for longer. */
const presentMs = 120_000;

/**
 * The rate at which money is valued that arrived at a moment: the market's, when that is known right then. Later the
 * rate nearest to the arrival counts: a quote given to the payer, or the market's. Null while the market, unknown now,
 * may still turn out to be the nearest. All moments are by one clock.
 */
function arrivalRate(arrived: Date, told: readonly DatedRate[], market: DatedRate | null, now: Date): DatedRate | null {
  const distance = (moment: Date) => Math.abs(moment.getTime() - arrived.getTime());
  const [nearest] = told.toSorted((a, b) => distance(a.at) - distance(b.at));
  const isPresent = distance(now) <= presentMs;
  if (isPresent || nearest === undefined || distance(now) < distance(nearest.at)) return market;
  return nearest;
}

/** The rates of the prices in an asset that the payer of a payment was given: smallest units to minor units. */
function quotedRates(prices: readonly QuotedPrice[], asset: string): DatedRate[] {
  const own = prices.filter(price => price.asset === asset);
  return own.map(({ amount, payment_amount: value, created_at: at }) => ({
    rate: { numerator: value, denominator: amount },
    at,
  }));
}
