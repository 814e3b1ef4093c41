import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { convert, type Rate } from '../../core/rate.ts';

/** A price fixed for one payment: `settlementAmount` of the settlement asset, in its smallest units. */
export interface Quote {
  readonly id: string;
  readonly settlementAmount: bigint;
  readonly rate: Rate;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** Input of a quote. `amount` is in minor units of the payment's currency. */
export interface QuoteRequest {
  readonly amount: bigint;
  readonly rate: Rate;
  /** The largest amount of the settlement asset. */
  readonly most: bigint;
  readonly now: Date;
  readonly seconds: number;
  /** End of the payment's session. A quote ends no later. */
  readonly sessionExpiresAt: Date;
}

/** Fixes the price of a payment. Throws `invalid_amount` if the price is zero or above `most`. */
export function makeQuote({ amount, rate, most, now, seconds, sessionExpiresAt }: QuoteRequest): Quote {
  const settlementAmount = convert(amount, rate);
  if (settlementAmount === 0n || settlementAmount > most) {
    const message =
      settlementAmount === 0n
        ? 'The amount is worth less than the smallest unit of the settlement asset.'
        : 'The amount in the settlement asset would exceed the maximum amount of its chain.';
    throw new PayError('invalid_amount', message, { param: 'amount' });
  }
  const until = addSeconds(now, seconds);
  const expiresAt = until < sessionExpiresAt ? until : sessionExpiresAt;
  return { id: newId('quote'), settlementAmount, rate, expiresAt, createdAt: now };
}

/** The quote as columns of its payment. */
export function quoteColumns(quote: Quote) {
  return {
    quote_id: quote.id,
    quote_amount: quote.settlementAmount,
    quote_rate_numerator: quote.rate.numerator,
    quote_rate_denominator: quote.rate.denominator,
    expires_at: quote.expiresAt,
  };
}
