import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Rate } from '../../../core/rate.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { makeQuote, quoteColumns } from '../../quotes/quote.ts';
import { settlementAsset } from '../crypto/crypto-price.service.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';

/** Market rates for bank money that arrives after the end of its payment's quote. */
export interface ArrivalRates {
  /** The rate between the payment's currency and its settlement asset. Null without a reliable rate. */
  of(payment: PaymentRow): Rate | null;
}

interface Arrival {
  readonly merchant: Merchant;
  readonly rates: ArrivalRates;
  readonly arrivedAt: Date;
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

/**
 * Adds a quote at the market rate to the change that counts bank money. Unchanged while the payment's quote counts,
 * which is also for `quote_grace_seconds` after its end, and without a rate. A completed payment keeps the quote of its
 * settlement.
 */
export function atArrivalRate(
  change: PaymentChange,
  payment: PaymentRow,
  { merchant, rates, arrivedAt, now }: Arrival,
): PaymentChange {
  const counts = arrivedAt < addSeconds(payment.expires_at, merchant.quoteGraceSeconds);
  const rate = counts || payment.completed_at !== null ? null : rates.of(payment);
  if (rate === null) return change;
  const { amount, session_expires_at: sessionExpiresAt } = payment;
  const quote = makeQuote({ amount, rate, now, seconds: merchant.quoteSeconds, sessionExpiresAt });
  const set = { ...change.set, ...quoteColumns(quote), quoted_at: now };
  return { ...change, set, events: [...(change.events ?? []), 'payment.quote_refreshed'] };
}

/** Reads the rate for money that the merchant assigns to the payment. Call it before the transaction. */
export async function readArrivalRate(
  deps: Pick<PaymentDeps, 'rates' | 'log'>,
  payment: PaymentRow,
): Promise<ArrivalRates> {
  const rate = await rateOrNull(deps, pairOf(deps, payment));
  return { of: () => rate };
}

/**
 * Runs a booking of bank money. Most money arrives while its quote holds, and which payments it pays is known only
 * inside the transaction. A booking therefore collects the rates that it lacks and rolls back. It runs again after the
 * rates were read, because rates come over the network.
 */
export async function withArrivalRates<T>(
  deps: Pick<PaymentDeps, 'rates' | 'log'>,
  book: (rates: CollectedRates) => Promise<T>,
): Promise<T> {
  const found = new Map<string, Rate | null>();
  for (;;) {
    const missing = new Map<string, Pair>();
    try {
      return await book(collectedRates(deps, found, missing));
    } catch (error) {
      if (!(error instanceof RatesMissing)) throw error;
      for (const [key, pair] of missing) found.set(key, await rateOrNull(deps, pair));
    }
  }
}

/** Rates of a booking, which collect the pairs whose rates are missing. */
export interface CollectedRates extends ArrivalRates {
  /** Throws if `of` was asked for a rate that was not read yet. Call it before the commit. */
  assertComplete(): void;
}

/** Thrown to roll back a booking that lacks rates. */
class RatesMissing extends Error {}

interface Pair {
  readonly currency: string;
  readonly asset: string;
}

function pairOf({ rates }: Pick<PaymentDeps, 'rates'>, payment: PaymentRow): Pair {
  return { currency: payment.currency, asset: settlementAsset({ rates }, payment) };
}

function collectedRates(
  deps: Pick<PaymentDeps, 'rates'>,
  found: ReadonlyMap<string, Rate | null>,
  missing: Map<string, Pair>,
): CollectedRates {
  return {
    of: payment => {
      const pair = pairOf(deps, payment);
      const key = `${pair.currency} ${pair.asset}`;
      if (!found.has(key)) missing.set(key, pair);
      return found.get(key) ?? null;
    },
    assertComplete: () => {
      if (missing.size > 0) throw new RatesMissing();
    },
  };
}

/** Without a reliable rate, the payment's newest quote counts, because received money must not wait. */
async function rateOrNull({ rates, log }: Pick<PaymentDeps, 'rates' | 'log'>, pair: Pair): Promise<Rate | null> {
  try {
    return (await rates.find(pair.currency, pair.asset)).rate;
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    log.warn({ ...pair, reason: error.message }, 'no rate is known for a late bank transfer; its old quote counts');
    return null;
  }
}
