import { addSeconds } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import { convert, type Rate } from '../../core/rate.ts';

/** A price held for one payment: `settlementAmount` (stroops) of the merchant's asset for the payment's amount, until `expiresAt`. */
export interface Quote {
  readonly id: string;
  readonly settlementAmount: bigint;
  readonly rate: Rate;
  readonly source: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** What a quote is made from. `amount` is in minor units of the payment's currency. */
export interface QuoteRequest {
  readonly amount: bigint;
  readonly rate: Rate;
  readonly source: string;
  readonly now: Date;
  readonly seconds: number;
  /** The payment ends then, and no quote outlives it. */
  readonly sessionExpiresAt: Date;
}

/** Fixes the price of a payment. */
export function makeQuote(request: QuoteRequest): Quote {
  const until = addSeconds(request.now, request.seconds);
  return {
    id: newId('quote'),
    settlementAmount: convert(request.amount, request.rate),
    rate: request.rate,
    source: request.source,
    expiresAt: until < request.sessionExpiresAt ? until : request.sessionExpiresAt,
    createdAt: request.now,
  };
}
