import type { NextAction, PaymentOptions } from '../../../api/payment.ts';
import type { ConfirmPayment } from '../../../api/payments/attempt.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { unitOf } from '../../../core/unit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { ownOrigins } from '../../platform/http/access/page-hosts.ts';
import type { Answer, RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { makeQuote, type Quote, quoteColumns } from '../../quotes/quote.ts';
import { giveUpOpenAttempt } from '../attempts/attempt-follow.service.ts';
import type { Confirmation } from '../attempts/attempt-start.service.ts';
import type { AttemptWriter } from '../attempts/attempt-writer.ts';
import { amountOnRail, bankRail, confirmBank, reviseInstructions } from '../bank/payment-bank.service.ts';
import { cardOption } from '../card/card-option.ts';
import { type CardChoice, confirmCard } from '../card/payment-card.service.ts';
import { cryptoOptions } from '../crypto/crypto-options.service.ts';
import { settlementAsset } from '../crypto/crypto-price.service.ts';
import { actionFor, chooseCrypto, confirmCrypto } from '../crypto/payment-crypto.service.ts';
import { mobileMoneyOptions } from '../mobile-money/operators.ts';
import { confirmPhone, type PhoneChoice } from '../mobile-money/payment-phone.service.ts';
import { lockPayment } from '../payment.store.ts';
import { changePayment } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { assertOpen, assertPayable } from '../payment-session.ts';
import type { PaymentRow } from '../tables.ts';
import { assertReturnUrl } from './redirect.ts';

/**
 * The methods that the payer can choose now, with their amounts. Empty for an ended or authorized payment. Omits rails
 * without a current rate. `payerAddress` adds the holdings of that account.
 */
export async function paymentOptions(
  deps: PaymentDeps,
  merchant: Merchant,
  payment: PaymentRow,
  payerAddress?: string,
): Promise<PaymentOptions> {
  const isOpen = payment.status === 'pending' && payment.phase !== 'authorized';
  const allowed = new Set(isOpen ? payment.payment_methods : []);
  const due = payment.amount - payment.amount_received;
  const byBank = allowed.has('bank_transfer') && deps.rails.banks.length > 0;
  const card = allowed.has('card') ? cardOption(deps, merchant, payment, due) : null;
  const phones = allowed.has('mobile_money') ? await mobileMoneyOptions(deps, payment) : null;
  return {
    object: 'payment_options',
    ...(card === null ? {} : { card }),
    ...(byBank ? { bank_transfer: { rails: await bankOptions(deps, payment, due) } } : {}),
    ...(allowed.has('crypto') ? { crypto: await cryptoOptions(deps, payment, payerAddress) } : {}),
    ...(phones === null ? {} : { mobile_money: phones }),
  };
}

/** The bank rails, starting with the rail in the payment's currency. */
async function bankOptions(deps: PaymentDeps, payment: PaymentRow, due: bigint) {
  const rails = await Promise.all(
    deps.rails.banks.map(async rail => {
      const amount = await amountOnRail(deps, payment.currency, due, rail).catch(nullWithoutRate);
      const terms = { rail: rail.id, currency: rail.currency, settlement_days: rail.settlementDays };
      return amount === null ? [] : [{ ...terms, amount: Number(amount) }];
    }),
  );
  return rails.flat().sort((a, b) => Number(b.currency === payment.currency) - Number(a.currency === payment.currency));
}

function nullWithoutRate(error: unknown): null {
  if (error instanceof PayError && error.code === 'rate_unavailable') return null;
  throw error;
}

type ByAttempt = Extract<ConfirmPayment, { method: 'card' | 'mobile_money' }>;

/** Charges the payer's card. Throws the errors of `assertPayable` and of the card. */
export async function confirmByCard(
  deps: PaymentDeps,
  attempts: AttemptWriter,
  choice: Omit<CardChoice, 'read' | 'check'>,
): Promise<RenderedAnswer> {
  const { caller, paymentId, body } = choice;
  return await confirmCard(deps, attempts, {
    ...choice,
    read: () => readPayment(deps, caller, paymentId),
    check: payment => {
      assertPayable(deps, payment, 'card', caller.now);
      if (body.return_url === undefined) return;
      const pageOrigins = ownOrigins(deps, caller.merchant.id);
      assertReturnUrl(body.return_url, caller, { redirectUrl: payment.redirect_url, pageOrigins });
    },
  });
}

/** Shows a prompt on the payer's phone. Throws the errors of `assertPayable` and of `confirmPhone`. */
export async function confirmByPhone(
  deps: PaymentDeps,
  attempts: AttemptWriter,
  choice: Omit<PhoneChoice, 'read' | 'check'>,
): Promise<RenderedAnswer> {
  const { caller, paymentId } = choice;
  return await confirmPhone(deps, attempts, {
    ...choice,
    read: () => readPayment(deps, caller, paymentId),
    check: payment => assertPayable(deps, payment, 'mobile_money', caller.now),
  });
}

/** Starts a bank transfer or a crypto payment. Throws the errors of `assertPayable` and of the method. */
export async function confirmPayment(
  deps: PaymentDeps,
  { caller, paymentId, execution, render }: Confirmation,
  body: Exclude<ConfirmPayment, ByAttempt>,
): Promise<Answer> {
  const payment = await readPayment(deps, caller, paymentId);
  assertPayable(deps, payment, body.method, caller.now);
  if (body.method === 'crypto') {
    const choice = await chooseCrypto(deps, payment, body);
    await giveUpOpenAttempt(deps, caller, paymentId);
    return await execution.commit(async tx => render(await confirmCrypto(deps, tx, caller, paymentId, choice)));
  }
  const rail = bankRail(deps, body.rail);
  await giveUpOpenAttempt(deps, caller, paymentId);
  const due = payment.amount - payment.amount_received;
  const amount = due > 0n ? await amountOnRail(deps, payment.currency, due, rail) : 0n;
  return await execution.commit(async tx =>
    render(await confirmBank(deps, tx, caller, paymentId, rail, { due, amount })),
  );
}

/** A quote with less time left is not fresh. The margin allows for differences between payers' clocks. */
const nearlyOverSeconds = 5;

function hasFreshQuote({ expires_at: end }: PaymentRow, now: Date): boolean {
  return addSeconds(now, nearlyOverSeconds) < end;
}

/**
 * Gives an open payment a new quote at the current rate, unless its quote is fresh. The payment's own amount does not
 * change. The settlement amount and amounts in other currencies follow the rate. Money sent under an earlier quote
 * still counts by that quote. Throws the errors of `assertOpen`, or `rate_unavailable`.
 */
export async function refreshQuote(
  deps: PaymentDeps,
  caller: Caller,
  payment: PaymentRow,
): Promise<(tx: Tx) => Promise<{ readonly before: PaymentRow; readonly after: PaymentRow }>> {
  const { now, merchant } = caller;
  assertOpen(deps, payment, now);
  if (hasFreshQuote(payment, now)) return async () => ({ before: payment, after: payment });
  const { amount, session_expires_at: sessionExpiresAt } = payment;
  const { most } = unitOf(payment.settlement_asset);
  const { rate } = await deps.rates.find(payment.currency, settlementAsset(deps, payment));
  const quote = makeQuote({ amount, rate, most, now, seconds: merchant.quoteSeconds, sessionExpiresAt });
  const revise = await prepareRevision(deps, caller, payment, quote);
  return async tx => {
    const before = await lockPayment(tx, { merchantId: payment.merchant_id, paymentId: payment.id });
    assertOpen(deps, before, now);
    if (hasFreshQuote(before, now)) return { before, after: before };
    const isUnpaidSince = before.amount_received === payment.amount_received;
    return { before, after: isUnpaidSince ? await revise(tx, before) : await underQuote(deps, tx, before, quote, now) };
  };
}

/** Prepares new instructions for the chosen method. Runs before the transaction, because prices need the network. */
async function prepareRevision(
  deps: PaymentDeps,
  caller: Caller,
  payment: PaymentRow,
  quote: Quote,
): Promise<(tx: Tx, before: PaymentRow) => Promise<PaymentRow>> {
  const { next_action: action } = payment;
  const { now } = caller;
  const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
  if (action?.type === 'bank_instructions' && rail) {
    const due = payment.amount - payment.amount_received;
    const amount = await amountOnRail(deps, payment.currency, due, rail);
    return async (tx, before) => {
      const revised = await reviseInstructions(tx, caller, rail, before, amount);
      return await underQuote(deps, tx, before, quote, now, revised);
    };
  }
  if (action?.type === 'crypto_transfer') {
    const columns = requoted(quote);
    const choice = await chooseCrypto(deps, { ...payment, ...columns }, action);
    return async (tx, before) => {
      const isStillChosen = before.next_action?.type === 'crypto_transfer';
      const nextAction = isStillChosen ? await actionFor(tx, caller, { ...before, ...columns }, choice) : undefined;
      return await underQuote(deps, tx, before, quote, now, nextAction);
    };
  }
  return (tx, before) => underQuote(deps, tx, before, quote, now);
}

function requoted(quote: Quote) {
  return { ...quoteColumns(quote), quoted_at: quote.createdAt };
}

async function underQuote(
  deps: PaymentDeps,
  tx: Tx,
  payment: PaymentRow,
  quote: Quote,
  now: Date,
  nextAction: NextAction | null = payment.next_action,
): Promise<PaymentRow> {
  const set = { ...requoted(quote), next_action: nextAction };
  return await changePayment(tx, deps, payment, { set, events: ['payment.quote_refreshed'], now });
}
