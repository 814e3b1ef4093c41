import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { divideDown, maxWireAmount } from '../../../core/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isRefusedByData, withSavepoint } from '../../platform/db/savepoint.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { BankCredit, BankRail } from '../../rails/rail.ts';
import { lockPayment } from '../payment.store.ts';
import { creditPayment } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { endOverdueSession } from '../payment-session.ts';
import {
  type BankInstructionsRow,
  findByAmount,
  findByReference,
  lockCursor,
  type NewTransfer,
  offChain,
  readCursor,
  saveCursor,
} from '../transfers/transfer.store.ts';
import { keepUnmatched, unapplied } from '../transfers/unmatched.service.ts';
import { nextBankAction } from './payment-bank.service.ts';

/** Largest number of credits booked in one transaction. */
const creditBatch = 200;

/**
 * Reads new credits from the bank and books them together with the cursor, in one transaction. The bank is asked before
 * the transaction starts, so no transaction waits for the network. When another worker moved the cursor meanwhile, this
 * one starts over. Returns the number of booked credits.
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

/** The merchants of the credits; each is read once. */
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

/**
 * Books one credit. A credit that cannot be booked is kept as unmatched for its merchant, so that later credits do not
 * wait.
 */
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
    await keepUnmatched(tx, unmatchedOf(rail, credit, merchantNow(merchant, rail.livemode, deps.clock.now())));
  }
}

async function bookCredit(
  deps: PaymentDeps,
  tx: Tx,
  rail: BankRail,
  credit: BankCredit,
  merchant: Merchant,
): Promise<void> {
  const now = merchantNow(merchant, rail.livemode, deps.clock.now());
  const instructions = await matchCredit(tx, rail, credit);
  if (instructions === null) {
    await keepUnmatched(tx, unmatchedOf(rail, credit, now));
    return;
  }
  const key = { merchantId: credit.merchantId, paymentId: instructions.payment_id };
  const payment = await endOverdueSession(tx, deps, await lockPayment(tx, key), now);
  const value = divideDown(credit.amount * instructions.payment_amount, instructions.amount);
  if (payment.amount_received + value > maxWireAmount) {
    await keepUnmatched(tx, unmatchedOf(rail, credit, now));
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

function unmatchedOf(rail: BankRail, credit: BankCredit, now: Date): NewTransfer {
  return {
    merchant_id: credit.merchantId,
    id: newId('transfer'),
    livemode: rail.livemode,
    rail: rail.id,
    rail_reference: credit.railReference,
    ...unapplied,
    amount: credit.amount,
    currency: credit.currency,
    reference: credit.reference,
    sender: credit.sender,
    ...offChain,
    created_at: now,
  };
}
