import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { mostStroops } from '../../core/money.ts';
import { convert, type Rate } from '../../core/rate.ts';

/**
 * A price held for one payment until `expiresAt`: `settlementAmount` (stroops) of the settlement asset for the
 * payment's amount.
 */
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
  readonly now: Date;
  readonly seconds: number;
  /** End of the payment's session: no quote is valid longer. */
  readonly sessionExpiresAt: Date;
}

/**
 * Fixes the price of a payment. Throws `invalid_amount` when the amount is worth less than a stroop, or more than
 * Stellar can carry.
 */
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
