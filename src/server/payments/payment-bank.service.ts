import type { BankInstructions, NextAction } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { divideDown, divideUp, maxWireAmount } from '../../core/money.ts';
import { convertUp } from '../../core/rate.ts';
import type { Tx } from '../db/database.ts';
import { isRefusedByData, withSavepoint } from '../db/savepoint.ts';
import { recordEvent } from '../events/outbox.ts';
import type { Caller } from '../http/caller.ts';
import { post } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import type { Merchant } from '../merchants/merchant.ts';
import { merchantNow } from '../merchants/merchant.ts';
import type { BankCredit, BankRail } from '../rails/rail.ts';
import { assertPayable } from './payable.ts';
import { changePayment, lockPayment } from './payment.store.ts';
import { type PaymentRow, transferToWire } from './payment.view.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { creditPayment } from './payment-money.service.ts';
import { endOverdueSession } from './session-end.ts';
import {
  type BankInstructionsRow,
  findByAmount,
  findByReference,
  findInstructions,
  insertTransfer,
  lockCursor,
  readCursor,
  saveCursor,
  saveInstructions,
} from './transfer.store.ts';

/** Most credits read in one transaction. */
const creditBatch = 200;

/** The rail of the id; throws `parameter_invalid` naming `rail`. */
export function bankRail(deps: Pick<PaymentDeps, 'rails'>, id: string): BankRail {
  const rail = deps.rails.banks.find(bank => bank.id === id);
  if (!rail) throw new PayError('parameter_invalid', `There is no bank rail “${id}”.`, { param: 'rail' });
  return rail;
}

/** What is due on a rail for `due` of the payment's currency, in the rail's currency; rounded up. */
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
 * The payer chose to transfer: the payment waits for the money and says where to send it. Choosing the same rail
 * again keeps the reference. Throws as `assertPayable` does.
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
  assertPayable(payment, 'bank_transfer', caller.now);
  const due = payment.amount - payment.amount_received;
  if (due !== amounts.due)
    throw new PayError('payment_in_flight', 'Money arrived just now. Look at the payment again.');
  const known = await findInstructions(tx, payment.merchant_id, payment.id, rail.id);
  const instructions = {
    merchant_id: payment.merchant_id,
    payment_id: payment.id,
    rail: rail.id,
    reference: known?.reference ?? rail.newReference(),
    amount: amounts.amount,
    currency: rail.currency,
    payment_amount: due,
    created_at: caller.now,
  };
  await saveInstructions(tx, instructions);
  const nextAction = instructionsAction(caller.merchant, rail, instructions);
  return await changePayment(tx, deps, payment, {
    to: payment.amount_received > 0n ? 'partially_paid' : 'awaiting_funds',
    set: { method: 'bank_transfer', bank_rail: rail.id, next_action: JSON.stringify(nextAction) },
    now: caller.now,
  });
}

function instructionsAction(
  merchant: Merchant,
  rail: BankRail,
  row: Pick<BankInstructionsRow, 'reference' | 'amount' | 'currency'>,
): BankInstructions {
  const { rows, qr } = rail.instructions({
    merchantId: merchant.id,
    payee: merchant.name,
    reference: row.reference,
    amount: row.amount,
  });
  return {
    type: 'bank_instructions',
    rail: rail.id,
    fields: rows.map(field => ({ ...field })),
    reference: row.reference,
    amount: Number(row.amount),
    currency: row.currency,
    qr: qr === null ? null : { ...qr },
  };
}

/** What a payer who transferred a part is told for the rest: the same account and reference, the amount that is left. */
export async function nextBankAction(
  deps: Pick<PaymentDeps, 'rails'>,
  tx: Tx,
  merchant: Merchant,
  payment: PaymentRow,
  due: bigint,
): Promise<NextAction | null> {
  const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
  const known = rail ? await findInstructions(tx, payment.merchant_id, payment.id, rail.id) : null;
  if (!rail || !known) return null;
  const amount = divideUp(due * known.amount, known.payment_amount);
  return await saveRevised(tx, merchant, rail, known, { amount, due });
}

/** The instructions of a payment for a new amount on the rail (minor units of the rail's currency), after a new quote. */
export async function reviseInstructions(
  tx: Tx,
  merchant: Merchant,
  rail: BankRail,
  payment: PaymentRow,
  amount: bigint,
): Promise<NextAction | null> {
  const known = await findInstructions(tx, payment.merchant_id, payment.id, rail.id);
  if (known === null) return payment.next_action;
  return await saveRevised(tx, merchant, rail, known, { amount, due: payment.amount - payment.amount_received });
}

async function saveRevised(
  tx: Tx,
  merchant: Merchant,
  rail: BankRail,
  known: BankInstructionsRow,
  revised: { readonly amount: bigint; readonly due: bigint },
): Promise<NextAction> {
  const row = { ...known, amount: revised.amount, payment_amount: revised.due };
  await saveInstructions(tx, row);
  return instructionsAction(merchant, rail, row);
}

/**
 * Reads what arrived at the bank since the last time and books it, credits and cursor in one transaction. The bank is
 * asked before the transaction, so that none waits for it; when another reader was faster, it starts over. Returns
 * how many credits were booked.
 */
export async function receiveCredits(deps: PaymentDeps, rail: BankRail): Promise<number> {
  for (;;) {
    const cursor = await readCursor(deps.db, rail.id);
    const found = await rail.findCredits(cursor, creditBatch);
    if (found.cursor === null || found.cursor === cursor) return 0;
    const merchants = await merchantsOf(deps, found.credits);
    const next = found.cursor;
    const isMine = await deps.db.transaction().execute(async tx => {
      if ((await lockCursor(tx, rail.id)) !== cursor) return false;
      for (const [index, credit] of found.credits.entries()) {
        await bookSafely(deps, tx, rail, credit, merchants[index] as Merchant);
      }
      await saveCursor(tx, rail.id, next);
      return true;
    });
    if (isMine) return found.credits.length;
  }
}

/** The merchant of each credit; each merchant is looked up once. */
async function merchantsOf(deps: PaymentDeps, credits: readonly BankCredit[]): Promise<Merchant[]> {
  const found = new Map<string, Promise<Merchant>>();
  return await Promise.all(
    credits.map(({ merchantId }) => {
      const merchant = found.get(merchantId) ?? deps.findMerchant(merchantId);
      found.set(merchantId, merchant);
      return merchant;
    }),
  );
}

/** One credit that cannot be booked must not hold up those behind it: it is kept as unmatched, for the merchant to see. */
async function bookSafely(
  deps: PaymentDeps,
  tx: Tx,
  rail: BankRail,
  credit: BankCredit,
  merchant: Merchant,
): Promise<void> {
  try {
    await withSavepoint(tx, () => bookCredit(deps, tx, rail, credit, merchant));
  } catch (error) {
    if (!(error instanceof PayError) && !isRefusedByData(error)) throw error;
    await keepUnmatched(tx, merchant, rail, credit, merchantNow(merchant, false, deps.clock.now()));
  }
}

async function bookCredit(
  deps: PaymentDeps,
  tx: Tx,
  rail: BankRail,
  credit: BankCredit,
  merchant: Merchant,
): Promise<void> {
  const now = merchantNow(merchant, false, deps.clock.now());
  const instructions = await matchCredit(tx, rail, credit);
  if (instructions === null) {
    await keepUnmatched(tx, merchant, rail, credit, now);
    return;
  }
  const key = { merchantId: credit.merchantId, paymentId: instructions.payment_id };
  const payment = await endOverdueSession(tx, deps, await lockPayment(tx, key), now);
  const value = divideDown(credit.amount * instructions.payment_amount, instructions.amount);
  if (payment.amount_received + value > maxWireAmount) {
    await keepUnmatched(tx, merchant, rail, credit, now);
    return;
  }
  const arrival = {
    method: 'bank_transfer' as const,
    rail: rail.id,
    railReference: credit.railReference,
    amount: credit.amount,
    currency: credit.currency,
    value,
    reference: credit.reference,
    sender: credit.sender,
  };
  const context = { ...deps, nextActionFor: nextBankAction.bind(null, deps) };
  await creditPayment(tx, context, merchant, payment, arrival, now);
}

async function matchCredit(tx: Tx, rail: BankRail, credit: BankCredit): Promise<BankInstructionsRow | null> {
  if (credit.currency !== rail.currency) return null;
  const references = credit.reference === null ? [] : rail.findReferences(credit.reference);
  return (
    (await findByReference(tx, credit.merchantId, rail.id, references)) ??
    (await findByAmount(tx, credit.merchantId, rail.id, credit.currency, credit.amount))
  );
}

async function keepUnmatched(tx: Tx, merchant: Merchant, rail: BankRail, credit: BankCredit, now: Date): Promise<void> {
  const row = {
    merchant_id: merchant.id,
    id: newId('transfer'),
    livemode: false,
    rail: rail.id,
    rail_reference: credit.railReference,
    payment_id: null,
    status: 'unmatched' as const,
    amount: credit.amount,
    currency: credit.currency,
    amount_applied: 0n,
    amount_excess: 0n,
    reference: credit.reference,
    sender: credit.sender,
    created_at: now,
  };
  if (!(await insertTransfer(tx, row))) return;
  await post(tx, {
    merchantId: merchant.id,
    livemode: false,
    kind: 'unmatched_credit',
    postings: move(`clearing.${rail.id}`, 'merchant.suspense', credit.currency, credit.amount),
    now,
  });
  await recordEvent(tx, {
    merchantId: merchant.id,
    livemode: false,
    type: 'transfer.unmatched',
    resourceId: row.id,
    sequence: 1,
    object: transferToWire(row),
    previous: null,
    now,
  });
}
