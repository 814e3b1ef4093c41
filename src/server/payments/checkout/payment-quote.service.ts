import type { NextAction } from '../../../api/payment.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { makeQuote, type Quote } from '../../quotes/quote.ts';
import { rateUnit } from '../../rates/rates.ts';
import { amountOnRail, reviseInstructions } from '../bank/payment-bank.service.ts';
import { actionFor, chooseCrypto } from '../crypto/payment-crypto.service.ts';
import { changePayment, lockPayment } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertOpen } from '../payment-session.ts';

/** A payment before and after it got a fresh quote. */
export interface Requoted {
  readonly before: PaymentRow;
  readonly after: PaymentRow;
}

/**
 * Gives an open payment a new quote at the current rate. The amount in the payment's currency stays. The settlement
 * amount and the amounts on foreign bank rails and chains follow the rate. Money that was sent under the earlier quote
 * still counts by that quote. Throws as `assertOpen` does, or `rate_unavailable`.
 */
export async function refreshQuote(
  deps: PaymentDeps,
  caller: Caller,
  payment: PaymentRow,
): Promise<(tx: Tx) => Promise<Requoted>> {
  assertOpen(deps, payment, caller.now);
  const asset = deps.rates.asset(payment.settlement_asset, 'settlement_asset');
  const market = await deps.rates.find(payment.currency, rateUnit(asset));
  const quote = makeQuote({
    amount: payment.amount,
    rate: market.rate,
    now: caller.now,
    seconds: caller.merchant.quoteSeconds,
    sessionExpiresAt: payment.session_expires_at,
  });
  const revise = await prepareRevision(deps, caller, payment, quote);
  return async tx => {
    const before = await lockPayment(tx, { merchantId: payment.merchant_id, paymentId: payment.id });
    assertOpen(deps, before, caller.now);
    const isUnpaidSince = before.amount_received === payment.amount_received;
    return {
      before,
      after: isUnpaidSince ? await revise(tx, before) : await underQuote(deps, tx, before, quote, caller.now),
    };
  };
}

/** Prepares the payer's new instructions for the chosen method, before the transaction. */
async function prepareRevision(
  deps: PaymentDeps,
  caller: Caller,
  payment: PaymentRow,
  quote: Quote,
): Promise<(tx: Tx, before: PaymentRow) => Promise<PaymentRow>> {
  const { next_action: action } = payment;
  const { now, merchant } = caller;
  const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
  if (action?.type === 'bank_instructions' && rail) {
    const due = payment.amount - payment.amount_received;
    const amount = await amountOnRail(deps, payment.currency, due, rail);
    return async (tx, before) => {
      const revised = await reviseInstructions(tx, merchant, rail, before, amount);
      return await underQuote(deps, tx, before, quote, now, revised);
    };
  }
  if (action?.type === 'crypto_transfer') {
    const choice = await chooseCrypto(deps, quoted(payment, quote), action);
    return async (tx, before) => {
      const isStillChosen = before.next_action?.type === 'crypto_transfer';
      const told = isStillChosen ? await actionFor(tx, caller, quoted(before, quote), choice) : before.next_action;
      return await underQuote(deps, tx, before, quote, now, told);
    };
  }
  return (tx, before) => underQuote(deps, tx, before, quote, now);
}

function quoted<Row extends PaymentRow>(payment: Row, quote: Quote): Row {
  return { ...payment, ...quoteColumns(quote) };
}

function quoteColumns(quote: Quote) {
  return {
    quote_id: quote.id,
    quote_amount: quote.settlementAmount,
    quote_rate_numerator: quote.rate.numerator,
    quote_rate_denominator: quote.rate.denominator,
    quoted_at: quote.createdAt,
    expires_at: quote.expiresAt,
  };
}

async function underQuote(
  deps: PaymentDeps,
  tx: Tx,
  payment: PaymentRow,
  quote: Quote,
  now: Date,
  nextAction: NextAction | null = payment.next_action,
): Promise<PaymentRow> {
  return await changePayment(tx, deps, payment, {
    set: { ...quoteColumns(quote), next_action: nextAction === null ? null : JSON.stringify(nextAction) },
    events: ['payment.quote_refreshed'],
    now,
  });
}
