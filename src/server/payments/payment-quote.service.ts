import type { NextAction } from '../../api/payment.ts';
import type { Tx } from '../db/database.ts';
import type { Caller } from '../http/caller.ts';
import { insertQuote } from '../quotes/quote.store.ts';
import { makeQuote, type Quote } from '../quotes/quote.ts';
import { rateUnit } from '../rates/rates.ts';
import { assertOpen } from './payable.ts';
import { changePayment, lockPayment } from './payment.store.ts';
import type { PaymentRow } from './payment.view.ts';
import { amountOnRail, reviseInstructions } from './payment-bank.service.ts';
import type { PaymentDeps } from './payment-deps.ts';

/** A payment under a fresh quote, and the row it had before. */
export interface Requoted {
  readonly before: PaymentRow;
  readonly after: PaymentRow;
}

/**
 * Gives an open payment a new quote at today's rate. The amount in the payment's currency stays; what the merchant
 * gets, and what a foreign bank rail asks for, follow the rate. Throws as `assertOpen` does, or `rate_unavailable`.
 */
export async function refreshQuote(
  deps: PaymentDeps,
  caller: Caller,
  payment: PaymentRow,
): Promise<(tx: Tx) => Promise<Requoted>> {
  assertOpen(payment, caller.now);
  const asset = deps.rates.asset(payment.settlement_asset, 'settlement_asset');
  const market = await deps.rates.find(payment.currency, rateUnit(asset));
  const quote = makeQuote({
    amount: payment.amount,
    rate: market.rate,
    source: market.source,
    now: caller.now,
    seconds: caller.merchant.quoteSeconds,
    sessionExpiresAt: payment.session_expires_at,
  });
  const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
  const due = payment.amount - payment.amount_received;
  const railAmount =
    rail && payment.next_action?.type === 'bank_instructions'
      ? await amountOnRail(deps, payment.currency, due, rail)
      : null;
  return async tx => {
    const before = await lockPayment(tx, { merchantId: payment.merchant_id, paymentId: payment.id });
    assertOpen(before, caller.now);
    await insertQuote(tx, before, quote);
    const revised = rail && railAmount !== null && before.amount_received === payment.amount_received;
    const nextAction = revised
      ? await reviseInstructions(tx, caller.merchant, rail, before, railAmount)
      : before.next_action;
    return { before, after: await underQuote(deps, tx, before, quote, nextAction, caller.now) };
  };
}

async function underQuote(
  deps: PaymentDeps,
  tx: Tx,
  payment: PaymentRow,
  quote: Quote,
  nextAction: NextAction | null,
  now: Date,
): Promise<PaymentRow> {
  return await changePayment(tx, deps, payment, {
    set: {
      quote_id: quote.id,
      quote_amount: quote.settlementAmount,
      quote_rate_numerator: quote.rate.numerator,
      quote_rate_denominator: quote.rate.denominator,
      quoted_at: quote.createdAt,
      expires_at: quote.expiresAt,
      next_action: nextAction === null ? null : JSON.stringify(nextAction),
    },
    events: ['payment.quote_refreshed'],
    now,
  });
}
