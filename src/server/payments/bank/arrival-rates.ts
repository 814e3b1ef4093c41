import type { Rate } from '../../../core/rate.ts';
import { settlementAsset } from '../crypto/crypto-price.service.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';

/** Thrown to roll a booking back that needs rates. `find` of the rates must run before the booking is repeated. */
class RatesMissing extends Error {}

interface Pair {
  readonly currency: string;
  readonly asset: string;
}

/** Market rates for bank money that arrives after the end of its payment's quote. */
export type ArrivalRates = ReturnType<typeof createArrivalRates>;

/**
 * Most money arrives while its quote holds, and which payments it pays is known only inside the booking's transaction.
 * A booking therefore collects the rates that it lacks and rolls back. The rates come over the network, outside of any
 * transaction.
 */
function createArrivalRates({ rates }: Pick<PaymentDeps, 'rates'>) {
  const found = new Map<string, Rate | null>();
  const missing = new Map<string, Pair>();
  return {
    /** The rate between the payment's currency and its settlement asset. Null without a reliable rate. */
    of: (payment: PaymentRow): Rate | null => {
      const pair = { currency: payment.currency, asset: settlementAsset({ rates }, payment) };
      const key = `${pair.currency} ${pair.asset}`;
      if (!found.has(key)) missing.set(key, pair);
      return found.get(key) ?? null;
    },
    /** Throws if `of` was asked for a rate that was not read yet. */
    assertComplete: (): void => {
      if (missing.size > 0) throw new RatesMissing();
    },
    find: async (): Promise<void> => {
      for (const [key, { currency, asset }] of missing) {
        found.set(key, await rates.find(currency, asset).then(({ rate }) => rate, nullWithoutRate));
      }
      missing.clear();
    },
  };
}

/** Without a reliable rate, the payment's newest quote counts, because received money must not wait. */
const nullWithoutRate = () => null;

/** Books money that arrives by bank. Repeats the booking once it has read the rates that it needs. */
export async function withArrivalRates<T>(deps: PaymentDeps, book: (rates: ArrivalRates) => Promise<T>): Promise<T> {
  const rates = createArrivalRates(deps);
  for (;;) {
    try {
      return await book(rates);
    } catch (error) {
      if (!(error instanceof RatesMissing)) throw error;
      await rates.find();
    }
  }
}
