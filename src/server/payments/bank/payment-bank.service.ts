import type { BankInstructions, NextAction } from '../../../api/payment.ts';
import { addSeconds, addWeekdays } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { divideUp } from '../../../core/money.ts';
import { convertUp } from '../../../core/rate.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { BankRail } from '../../rails/rail.ts';
import { type ArrivalRates, rateAfter } from '../arrival-quote.ts';
import { keyOf, lockPayment } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertPayable, awaitFunds } from '../payment-session.ts';
import type { BankInstructionsRow, PaymentRow } from '../tables.ts';
import { findInstructions, saveInstructions } from '../transfer.store.ts';

/** The bank rail with the id. Throws `parameter_invalid` for `rail`. */
export function bankRail(deps: Pick<PaymentDeps, 'rails'>, id: string): BankRail {
  const rail = deps.rails.banks.find(bank => bank.id === id);
  if (rail !== undefined) return rail;
  throw new PayError('parameter_invalid', `There is no bank rail “${id}”.`, { param: 'rail' });
}

/** Converts `due` (minor units of the payment's currency) to the rail's currency, rounded up. */
export async function amountOnRail(
  deps: Pick<PaymentDeps, 'rates'>,
  currency: string,
  due: bigint,
  rail: BankRail,
): Promise<bigint> {
  if (rail.currency === currency) return due;
  const market = await deps.rates.find(currency, rail.currency);
  return convertUp(due, market.rate);
}

/**
 * Starts a bank transfer: the payer gets instructions, and the payment waits for the money. A second request for the
 * same rail keeps the reference. Throws the errors of `assertPayable`.
 */
export async function confirmBank(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  paymentId: string,
  rail: BankRail,
  amounts: { readonly due: bigint; readonly amount: bigint },
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId });
  assertPayable(deps, payment, 'bank_transfer', caller.now);
  const { due, amount } = amounts;
  if (due !== payment.amount - payment.amount_received) {
    throw new PayError('payment_in_flight', 'Money has just arrived. Read the payment again.');
  }
  const known = await findInstructions(tx, keyOf(payment), rail.id);
  const instructions = {
    merchant_id: payment.merchant_id,
    payment_id: payment.id,
    rail: rail.id,
    reference: known?.reference ?? rail.newReference(),
    amount,
    currency: rail.currency,
    payment_amount: due,
    created_at: caller.now,
  };
  await saveInstructions(tx, instructions);
  const nextAction = instructionsAction(caller.merchant, rail, instructions);
  const set = { bank_rail: rail.id, session_expires_at: sessionEndByBank(payment, rail, caller.merchant) };
  return await awaitFunds(tx, deps, payment, {
    method: 'bank_transfer',
    merchant: caller.merchant,
    nextAction,
    set,
    now: caller.now,
  });
}

/**
 * Extends the session by the rail's settlement days, so that a timely transfer does not arrive late. Never shortens a
 * session, because the payer may have used the earlier instructions.
 */
function sessionEndByBank(payment: PaymentRow, rail: BankRail, merchant: Merchant): Date {
  const plainEnd = addSeconds(payment.created_at, merchant.sessionSeconds);
  const end = addWeekdays(plainEnd, rail.settlementDays);
  return end > payment.session_expires_at ? end : payment.session_expires_at;
}

function instructionsAction(
  merchant: Merchant,
  rail: BankRail,
  row: Pick<BankInstructionsRow, 'reference' | 'amount' | 'currency'>,
): BankInstructions {
  const { reference, amount, currency } = row;
  const { rows, qr } = rail.instructions({ merchantId: merchant.id, payee: merchant.name, reference, amount });
  return {
    type: 'bank_instructions',
    rail: rail.id,
    fields: rows.map(field => ({ ...field })),
    reference,
    amount: Number(amount),
    currency,
    qr: qr === null ? null : { ...qr },
  };
}

/** A partial transfer for a payment, with the market rates of its arrival. Times are on the merchant's clock. */
interface PartialTransfer {
  readonly merchant: Merchant;
  readonly payment: PaymentRow;
  readonly rates: ArrivalRates;
  readonly arrivedAt: Date;
  readonly now: Date;
}

/**
 * Instructions for the remaining amount after a partial transfer. Account and reference stay the same. After the end of
 * the price in another currency, the rest is priced at the market rate.
 */
export async function nextBankAction(
  deps: Pick<PaymentDeps, 'rails'>,
  tx: Tx,
  { merchant, payment, rates, arrivedAt, now }: PartialTransfer,
  due: bigint,
): Promise<NextAction | null> {
  const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
  const known = rail ? await findInstructions(tx, keyOf(payment), rail.id) : null;
  if (!rail || !known) return null;
  const rate = rateAfter(known, payment, { merchant, rates, arrivedAt, currency: rail.currency });
  const amount = rate === null ? divideUp(due * known.amount, known.payment_amount) : convertUp(due, rate);
  const pricedAt = rate === null ? known.created_at : now;
  return await saveRevised(tx, merchant, rail, { ...known, amount, payment_amount: due, created_at: pricedAt });
}

/** Changes the instructions at `now`, after a new quote. `amount` is in minor units of the rail's currency. */
export async function reviseInstructions(
  tx: Tx,
  { merchant, now }: Pick<Caller, 'merchant' | 'now'>,
  rail: BankRail,
  payment: PaymentRow,
  amount: bigint,
): Promise<NextAction | null> {
  const known = await findInstructions(tx, keyOf(payment), rail.id);
  if (known === null) return payment.next_action;
  const due = payment.amount - payment.amount_received;
  return await saveRevised(tx, merchant, rail, { ...known, amount, payment_amount: due, created_at: now });
}

async function saveRevised(tx: Tx, merchant: Merchant, rail: BankRail, row: BankInstructionsRow): Promise<NextAction> {
  await saveInstructions(tx, row);
  return instructionsAction(merchant, rail, row);
}
