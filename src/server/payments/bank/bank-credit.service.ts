import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { divideDown, maxWireAmount } from '../../../core/money.ts';
import { findMerchants } from '../../merchants/merchant.store.ts';
import { isRefusedByData, type Tx, withSavepoint } from '../../platform/db/database.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import type { BankCredit, BankRail } from '../../rails/rail.ts';
import { lockPayment } from '../payment.store.ts';
import { creditPayment, keepUnmatched, unapplied } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { endOverdueSession } from '../payment-session.ts';
import {
  type BankInstructionsRow,
  findByAmount,
  findByReference,
  findCreditOwners,
  lockCursor,
  offChain,
  readCursor,
  saveCursor,
} from '../transfers/transfer.store.ts';

/** Largest number of credits booked in one transaction. */
const creditBatch = 200;

/** A credit with its rail and merchant. `references`: the references that its remittance text may contain. */
interface IncomingCredit extends BankCredit {
  readonly rail: BankRail;
  readonly merchant: Merchant;
  readonly references: readonly string[];
  /** Time on the merchant's clock. */
  readonly now: Date;
}

/** Reads and books the new credits of all banks. Returns the number of booked credits. */
export async function readBanks(deps: PaymentDeps): Promise<number> {
  let read = 0;
  await runEach(deps.rails.banks, async rail => {
    read += await receiveCredits(deps, rail);
  });
  return read;
}

/**
 * Reads new credits from the bank and books them together with the cursor, in one transaction. The bank is asked before
 * the transaction starts, so no transaction waits for the network. When another worker has moved the cursor, this one
 * starts over. Returns the number of booked credits.
 */
export async function receiveCredits(deps: PaymentDeps, rail: BankRail): Promise<number> {
  for (;;) {
    const cursor = await readCursor(deps.db, rail.id);
    const found = await rail.findCredits(cursor, creditBatch);
    const next = found.cursor;
    if (next === null || next === cursor) return 0;
    const credits = await withMerchants(deps, rail, found.credits);
    const isMine = await deps.db.transaction().execute(async tx => {
      if ((await lockCursor(tx, rail.id)) !== cursor) return false;
      for (const credit of await inOwnerOrder(tx, rail, credits)) await bookSafely(deps, tx, credit);
      await saveCursor(tx, rail.id, next);
      return true;
    });
    if (isMine) return credits.length;
  }
}

async function withMerchants(
  { db, clock }: PaymentDeps,
  rail: BankRail,
  credits: readonly BankCredit[],
): Promise<IncomingCredit[]> {
  const merchants = await findMerchants(db, [...new Set(credits.map(({ merchantId }) => merchantId))]);
  return credits.map(credit => {
    const merchant = merchants.get(credit.merchantId);
    if (merchant === undefined) throw new Error(`merchant ${credit.merchantId} is gone`);
    const references = credit.reference === null ? [] : rail.findReferences(credit.reference);
    return { ...credit, rail, merchant, references, now: merchantNow(merchant, rail.livemode, clock.now()) };
  });
}

/**
 * Sorts the credits by the owners of the payments that they name; credits of one owner keep their order. Booking locks the
 * owners, and two transactions that lock owners in the same order cannot wait for each other. Credits that name no payment
 * come last: a credit matched by its amount must not take the place of one that names the payment.
 */
async function inOwnerOrder(tx: Tx, rail: BankRail, credits: readonly IncomingCredit[]): Promise<IncomingCredit[]> {
  const owners = await findCreditOwners(tx, rail.id, credits);
  const ownerOf = ({ merchantId, references }: IncomingCredit) =>
    references.map(reference => owners.get(`${merchantId} ${reference}`)).find(owner => owner !== undefined) ??
    lastOwner;
  return credits
    .map(credit => ({ credit, owner: ownerOf(credit) }))
    .sort((a, b) => (a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0))
    .map(({ credit }) => credit);
}

/** Sorts after every id. */
const lastOwner = '\uffff';

/** Books one credit. A credit that cannot be booked is kept as unmatched, so that it does not block later credits. */
async function bookSafely(deps: PaymentDeps, tx: Tx, credit: IncomingCredit): Promise<void> {
  try {
    if (await withSavepoint(tx, () => bookCredit(deps, tx, credit))) return;
  } catch (error) {
    if (!(error instanceof PayError) && !isRefusedByData(error)) throw error;
  }
  const { merchant, rail, now } = credit;
  await keepUnmatched(tx, {
    ...{ merchant_id: merchant.id, id: newId('transfer'), livemode: rail.livemode },
    ...{ ...arrivalOf(credit), ...unapplied, ...offChain, created_at: now },
  });
}

/** Credits the payment that the credit names or matches. Returns false when there is none, or it would exceed the wire. */
async function bookCredit(deps: PaymentDeps, tx: Tx, credit: IncomingCredit): Promise<boolean> {
  const { merchant, now } = credit;
  const instructions = await matchCredit(tx, credit);
  if (instructions === null) return false;
  const key = { merchantId: merchant.id, paymentId: instructions.payment_id };
  const payment = await endOverdueSession(tx, deps, await lockPayment(tx, key), now);
  const value = divideDown(credit.amount * instructions.payment_amount, instructions.amount);
  if (payment.amount_received + value > maxWireAmount) return false;
  const arrival = { ...arrivalOf(credit), method: 'bank_transfer', value } as const;
  await creditPayment(tx, deps, merchant, payment, arrival, now);
  return true;
}

/** The instructions with one of the references, else the only ones that ask for the amount; null when there are none. */
async function matchCredit(tx: Tx, credit: IncomingCredit): Promise<BankInstructionsRow | null> {
  const { merchantId, rail, currency, references } = credit;
  if (currency !== rail.currency) return null;
  const named = await findByReference(tx, merchantId, rail.id, references);
  return named ?? (await findByAmount(tx, merchantId, rail.id, credit));
}

function arrivalOf({ rail, railReference, amount, currency, reference, sender }: IncomingCredit) {
  return { rail: rail.id, rail_reference: railReference, amount, currency, reference, sender };
}
