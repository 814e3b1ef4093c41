import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { mostStroops } from '../../core/money.ts';
import { convert, type Rate } from '../../core/rate.ts';

/** A price held for one payment: `settlementAmount` (stroops) of the merchant's asset for the payment's amount, until `expiresAt`. */
export interface Quote {
  readonly id: string;
  readonly settlementAmount: bigint;
  readonly rate: Rate;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** What a quote is made from. `amount` is in minor units of the payment's currency. */
export interface QuoteRequest {
  readonly amount: bigint;
  readonly rate: Rate;
  readonly now: Date;
  readonly seconds: number;
  /** The payment ends then, and no quote outlives it. */
  readonly sessionExpiresAt: Date;
}

/** Fixes the price of a payment. Throws `invalid_amount` when it is worth nothing of the asset, or more than Stellar carries. */
export function makeQuote(request: QuoteRequest): Quote {
  const settlementAmount = convert(request.amount, request.rate);
  if (settlementAmount === 0n) {
    throw new PayError('invalid_amount', 'The amount is worth less than the smallest unit of the settlement asset.', {
      param: 'amount',
    });
  }
  if (settlementAmount > mostStroops) {
    throw new PayError('invalid_amount', 'The amount is worth more of the settlement asset than Stellar can carry.', {
      param: 'amount',
    });
  }
  const until = addSeconds(request.now, request.seconds);
  return {
    id: newId('quote'),
    settlementAmount,
    rate: request.rate,
    expiresAt: until < request.sessionExpiresAt ? until : request.sessionExpiresAt,
    createdAt: request.now,
  };
}
