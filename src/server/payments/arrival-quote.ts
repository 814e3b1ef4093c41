import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { divideDown } from '../../core/money.ts';
import type { Rate } from '../../core/rate.ts';
import { unitOf } from '../../core/unit.ts';
import type { Merchant } from '../platform/merchant.ts';
import { makeQuote, type Quote, quoteColumns } from '../quotes/quote.ts';
import { settlementAsset } from './crypto/crypto-price.service.ts';
import type { PaymentChange } from './payment-change.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { BankInstructionsRow, PaymentRow } from './tables.ts';

/** Market rates for money that arrives after the end of its payment's quote. */
export interface ArrivalRates {
  /** The rate from the payment's currency to `unit`, by default its settlement asset. Null without a reliable rate. */
  of(payment: PaymentRow, unit?: string): Rate | null;
}

interface Arrival {
  readonly merchant: Merchant;
  readonly rates: ArrivalRates;
  readonly arrivedAt: Date;
  /** The current time on the merchant's clock. */
  readonly now: Date;
  /** Seconds after its end in which the quote still counts, for money on its way. */
  readonly graceSeconds: number;
}

/**
 * Adds a quote at the market rate to the change that counts money. Unchanged while the payment's quote counts, and
 * without a rate. A completed payment keeps the quote of its settlement.
 */
export function atArrivalRate(
  change: PaymentChange,
  payment: PaymentRow,
  { merchant, rates, arrivedAt, now, graceSeconds }: Arrival,
): PaymentChange {
  const counts = arrivedAt < addSeconds(payment.expires_at, graceSeconds);
  const rate = counts || payment.completed_at !== null ? null : rates.of(payment);
  const quote = rate === null ? null : quoteAt(payment, rate, merchant, now);
  if (quote === null) return change;
  const set = { ...change.set, ...quoteColumns(quote), quoted_at: now };
  return { ...change, set, events: [...(change.events ?? []), 'payment.quote_refreshed'] };
}

/** The new quote, or null if its price exceeds the chain's largest amount. Received money must not wait. */
function quoteAt(payment: PaymentRow, rate: Rate, merchant: Merchant, now: Date): Quote | null {
  const { amount, session_expires_at: sessionExpiresAt } = payment;
  const { most } = unitOf(payment.settlement_asset);
  try {
    return makeQuote({ amount, rate, most, now, seconds: merchant.quoteSeconds, sessionExpiresAt });
  } catch (error) {
    if (error instanceof PayError) return null;
    throw error;
  }
}

/** Bank money to value. `arrivedAt` is on the merchant's clock. */
interface BankMoney {
  readonly amount: bigint;
  readonly currency: string;
  readonly arrivedAt: Date;
}

/** The price in a payer's instructions: `amount` in the rail's currency for `payment_amount`, since `created_at`. */
type BankPrice = Pick<BankInstructionsRow, 'amount' | 'payment_amount' | 'created_at'>;

/**
 * The value of bank money in minor units of the payment's currency, rounded down. Money in another currency counts at
 * the price of its instructions while that price holds, afterwards at the market rate. The price holds as long as the
 * quote under which it was made, and `quote_grace_seconds` longer.
 */
export function valueOfBankMoney(
  { amount, currency, arrivedAt }: BankMoney,
  price: BankPrice,
  payment: PaymentRow,
  { merchant, rates }: Pick<Arrival, 'merchant' | 'rates'>,
): bigint {
  const rate = rateAfter(price, payment, { merchant, rates, arrivedAt, currency });
  return rate === null ? divideDown(amount * price.payment_amount, price.amount) : valueAtRate(amount, rate);
}

/** The market rate to `currency` for money after the end of the price. Null while the price holds, or without a rate. */
export function rateAfter(
  price: BankPrice,
  payment: PaymentRow,
  {
    merchant,
    rates,
    arrivedAt,
    currency,
  }: Pick<Arrival, 'merchant' | 'rates' | 'arrivedAt'> & Pick<BankMoney, 'currency'>,
): Rate | null {
  const isOfQuote = price.created_at >= (payment.quoted_at ?? payment.created_at);
  const holds = isOfQuote && arrivedAt < addSeconds(payment.expires_at, merchant.quoteGraceSeconds);
  return holds || currency === payment.currency ? null : rates.of(payment, currency);
}

/** The value of received money in the payment's currency, rounded down. `rate` is from that currency to the money's. */
export function valueAtRate(amount: bigint, rate: Rate): bigint {
  return divideDown(amount * rate.denominator, rate.numerator);
}

/**
 * Runs a booking of received money. Most money arrives while its quote holds, and which payments it pays is known only
 * inside the transaction. A booking therefore collects the rates that it lacks and rolls back. It runs again after the
 * rates were read, because rates come over the network. The booking must not call a rail, because it may run twice.
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

function collectedRates(
  deps: Pick<PaymentDeps, 'rates'>,
  found: ReadonlyMap<string, Rate | null>,
  missing: Map<string, Pair>,
): CollectedRates {
  return {
    of: (payment, unit = settlementAsset(deps, payment)) => {
      const pair = { currency: payment.currency, asset: unit };
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
    log.warn({ ...pair, reason: error.message }, 'no rate is known for late money; its old quote counts');
    return null;
  }
}
