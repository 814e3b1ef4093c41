import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { divideDown } from '../../core/money.ts';
import type { Rate } from '../../core/rate.ts';
import type { Merchant } from '../platform/merchant.ts';
import { makeQuote, type Quote, quoteColumns } from '../quotes/quote.ts';
import { settlementAsset } from './crypto/crypto-price.service.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentChange } from './payment-change.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { BankInstructionsRow } from './transfers/transfer.store.ts';

/** Market rates for bank and card money that arrives after the end of its payment's quote. */
export interface ArrivalRates {
  /** The rate between the payment's currency and its settlement asset. Null without a reliable rate. */
  of(payment: PaymentRow): Rate | null;
  /** The rate from the currency of the money to the payment's currency. Null without a reliable rate. */
  from(currency: string, payment: PaymentRow): Rate | null;
}

interface Arrival {
  readonly merchant: Merchant;
  readonly method: 'card' | 'bank_transfer';
  readonly arrivedAt: Date;
}

/**
 * Whether the payment's quote no longer counts for the money. Bank money counts for `quote_grace_seconds` more, because
 * it may be on its way. A card is captured at once.
 */
export function isAfterQuote(payment: PaymentRow, { merchant, method, arrivedAt }: Arrival): boolean {
  const grace = method === 'card' ? 0 : merchant.quoteGraceSeconds;
  return arrivedAt >= addSeconds(payment.expires_at, grace);
}

/** Bank money, and the payer's instructions for it. `amount` is in minor units of its currency. */
interface BankMoney {
  readonly amount: bigint;
  readonly currency: string;
  readonly instructions: Pick<BankInstructionsRow, 'amount' | 'payment_amount'>;
}

/**
 * The value of bank money in minor units of the payment's currency: at the rate of the instructions, or at the market
 * rate if the quote no longer counts.
 */
export function valueAtArrival(
  payment: PaymentRow,
  { amount, currency, instructions }: BankMoney,
  arrival: Omit<Arrival, 'method'> & { readonly rates: ArrivalRates | null },
): bigint {
  const rate =
    currency !== payment.currency && isAfterQuote(payment, { ...arrival, method: 'bank_transfer' })
      ? arrival.rates?.from(currency, payment)
      : null;
  if (rate == null) return divideDown(amount * instructions.payment_amount, instructions.amount);
  return divideDown(amount * rate.numerator, rate.denominator);
}

/**
 * Adds a quote at the market rate to the change that counts bank or card money. Unchanged while the payment's quote
 * counts, and without a rate. A completed payment keeps the quote of its settlement. `now`: the current time on the
 * merchant's clock.
 */
export function atArrivalRate(
  change: PaymentChange,
  payment: PaymentRow,
  arrival: Arrival & { readonly rates: ArrivalRates; readonly now: Date },
): PaymentChange {
  const { merchant, rates, now } = arrival;
  if (!isAfterQuote(payment, arrival) || payment.completed_at !== null) return change;
  const quote = quoteAt(payment, rates.of(payment), merchant, now);
  if (quote === null) return change;
  const set = { ...change.set, ...quoteColumns(quote), quoted_at: now };
  return { ...change, set, events: [...(change.events ?? []), 'payment.quote_refreshed'] };
}

/** The quote, or null without a rate, or if Stellar cannot represent the price: received money must not wait. */
function quoteAt(payment: PaymentRow, rate: Rate | null, merchant: Merchant, now: Date): Quote | null {
  if (rate === null) return null;
  const { amount, session_expires_at: sessionExpiresAt } = payment;
  try {
    return makeQuote({ amount, rate, now, seconds: merchant.quoteSeconds, sessionExpiresAt });
  } catch (error) {
    if (error instanceof PayError) return null;
    throw error;
  }
}

type RateDeps = Pick<PaymentDeps, 'rates' | 'log'>;

/**
 * Reads the rates for money in `currency` that arrives for the payment. Call it before a transaction that cannot run
 * again.
 */
export async function readArrivalRates(deps: RateDeps, payment: PaymentRow, currency: string): Promise<CollectedRates> {
  const found = new Map<string, Rate | null>();
  for (const pair of [pairOf(deps, payment), { from: currency, to: payment.currency }]) {
    if (pair.from !== pair.to) found.set(nameOf(pair), await rateOrNull(deps, pair));
  }
  return collectedRates(deps, found, new Map());
}

/**
 * Runs a booking of bank or card money. Most money arrives while its quote holds, and which payments it pays is known
 * only inside the transaction. A booking therefore collects the rates that it lacks and rolls back. It runs again after
 * the rates were read, because rates come over the network. A booking must ask no rail.
 */
export async function withArrivalRates<T>(deps: RateDeps, book: (rates: CollectedRates) => Promise<T>): Promise<T> {
  const found = new Map<string, Rate | null>();
  for (;;) {
    const missing = new Map<string, Pair>();
    try {
      return await book(collectedRates(deps, found, missing));
    } catch (error) {
      if (!(error instanceof RatesMissing)) throw error;
      for (const [name, pair] of missing) found.set(name, await rateOrNull(deps, pair));
    }
  }
}

/** Rates of a booking, which collect the pairs whose rates are missing. */
export interface CollectedRates extends ArrivalRates {
  /** Throws if a rate was asked for that was not read yet. Call it before the commit. */
  assertComplete(): void;
}

/** Thrown to roll back a booking that lacks rates. */
class RatesMissing extends Error {}

/** Currencies, or a currency and the wire text of an asset. */
interface Pair {
  readonly from: string;
  readonly to: string;
}

const nameOf = ({ from, to }: Pair) => `${from} ${to}`;

function pairOf({ rates }: Pick<PaymentDeps, 'rates'>, payment: PaymentRow): Pair {
  return { from: payment.currency, to: settlementAsset({ rates }, payment) };
}

function collectedRates(
  deps: Pick<PaymentDeps, 'rates'>,
  found: ReadonlyMap<string, Rate | null>,
  missing: Map<string, Pair>,
): CollectedRates {
  const find = (pair: Pair) => {
    const name = nameOf(pair);
    if (!found.has(name)) missing.set(name, pair);
    return found.get(name) ?? null;
  };
  return {
    of: payment => find(pairOf(deps, payment)),
    from: (currency, payment) => find({ from: currency, to: payment.currency }),
    assertComplete: () => {
      if (missing.size > 0) throw new RatesMissing();
    },
  };
}

/** Without a reliable rate, the payment's newest quote or instructions count, because received money must not wait. */
async function rateOrNull({ rates, log }: RateDeps, { from, to }: Pair): Promise<Rate | null> {
  try {
    return (await rates.find(from, to)).rate;
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    log.warn({ from, to, reason: error.message }, 'no rate is known for late money; its old quote counts');
    return null;
  }
}
