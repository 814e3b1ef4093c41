import { findQuotedPrices, findReceivedCrypto } from '../payments/crypto/deposit.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { IncomingCrypto } from '../payments/payment-purpose.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Rates } from '../rates/rates.ts';
import { keepRates } from './arrival-rate.store.ts';
import { arrivalRate, type DatedRate, quotedRates } from './arrival-rate.ts';
import type { InvoiceDeps } from './invoice-deps.ts';

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
