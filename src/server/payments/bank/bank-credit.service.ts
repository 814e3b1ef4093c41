import { isBlankRemittance } from '../../../core/bank/remittance-names.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { maxWireAmount } from '../../../core/money.ts';
import { findMerchants } from '../../merchants/merchant.store.ts';
import { isRefusedByData, type Tx, withSavepoint } from '../../platform/db/database.ts';
import { insertOf } from '../../platform/db/rows.ts';
import { type ClaimedAnswer, keepingOf } from '../../platform/http/idempotency/idempotency.store.ts';
import { stillRunning } from '../../platform/http/idempotency/idempotency.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import type { BankCredit, BankRail } from '../../rails/rail.ts';
import { type ArrivalRates, type CollectedRates, valueOfBankMoney, withArrivalRates } from '../arrival-quote.ts';
import { lockPayment } from '../payment.store.ts';
import { type PlannedPayment, planPaymentChange, unchangedPayment, writePaymentChanges } from '../payment-change.ts';
import { creditPayment, keepUnmatched, planArrival } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { endOverdueSession, waitsForMoney } from '../payment-session.ts';
import type { BankInstructionsRow, PaymentRow } from '../tables.ts';
import {
  findByAmount,
  findByReference,
  findCreditOwners,
  lockPage,
  type NamedPayment,
  type NewTransfer,
  offChain,
  readCursor,
  savingCursor,
  unapplied,
} from '../transfer.store.ts';
import { findByName, isBareReference, prepareForNamed } from './named-credit.service.ts';

/** Maximum number of credits booked in one transaction. */
const creditBatch = 200;

/** A credit with its rail. Its remittance text may contain `references` of payments. */
interface FoundCredit extends BankCredit {
  readonly rail: BankRail;
  readonly references: readonly string[];
}

/** A credit with its merchant. */
interface IncomingCredit extends FoundCredit {
  readonly merchant: Merchant;
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

/** Reads and books new credits of all banks. Returns the number of booked credits. */
export async function readBanks(deps: PaymentDeps): Promise<number> {
  let read = 0;
  await runEach(deps.rails.banks, async rail => {
    read += (await receiveCredits(deps, rail)).count;
  });
  return read;
}

/** The number of booked credits, and the transfers of the usual ones (see `bookTogether`). */
interface ReceivedCredits {
  readonly count: number;
  readonly transfers: readonly NewTransfer[];
}

/** The answers of calls that wait for transfers. They are stored in the commit of the transfers. */
type AnswersOf = (transfers: readonly NewTransfer[]) => readonly ClaimedAnswer[];

/**
 * Reads new credits from the bank, and books them together with the cursor in one transaction. The request to the bank
 * comes first, so that no transaction waits for the network. Starts over if another worker moved the cursor.
 */
export async function receiveCredits(
  deps: PaymentDeps,
  rail: BankRail,
  answersOf: AnswersOf = () => [],
): Promise<ReceivedCredits> {
  for (;;) {
    const cursor = await readCursor(deps.db, rail.id);
    const found = await rail.findCredits(cursor, creditBatch);
    const next = found.cursor;
    if (next === null || next === cursor) return { count: 0, transfers: [] };
    const credits = found.credits.map(credit => withReferences(rail, credit));
    await prepareForNames(deps, rail, credits);
    const page = { cursor, next, credits, answersOf };
    const transfers = await withArrivalRates(deps, rates => bookPage(deps, rail, { ...page, rates }));
    if (transfers !== null) return { count: credits.length, transfers };
  }
}

interface CreditPage {
  /** Where the page begins, and where the next page begins. */
  readonly cursor: string | null;
  readonly next: string;
  readonly credits: readonly FoundCredit[];
  readonly answersOf: AnswersOf;
  readonly rates: CollectedRates;
}

/** Lets the owners whom credits name start payments for them. Most credits are bare references of payments. */
async function prepareForNames(deps: PaymentDeps, rail: BankRail, credits: readonly FoundCredit[]): Promise<void> {
  const naming = credits.filter(credit => !isBareReference(credit));
  if (naming.length === 0) return;
  const merchants = await findMerchants(deps.db, [...new Set(naming.map(({ merchantId }) => merchantId))]);
  await prepareForNamed(deps, rail, withMerchants(deps, naming, merchants));
}

/** Books the page. Returns the transfers of usual credits, or null if another worker has moved the cursor. */
async function bookPage(deps: PaymentDeps, rail: BankRail, page: CreditPage): Promise<readonly NewTransfer[] | null> {
  const book = (isTogether: boolean) =>
    deps.db.transaction().execute(async tx => {
      const { cursor, named, merchants } = await lockPage(tx, rail.id, page.credits);
      if (cursor !== page.cursor) return null;
      const credits = withMerchants(deps, page.credits, merchants);
      const usual = { ...page, credits: isTogether ? credits : [], named };
      const { transfers, left } = await bookTogether(deps, tx, rail, usual);
      const rest = isTogether ? left : credits;
      for (const credit of await inOwnerOrder(tx, rail, rest)) await bookSafely(deps, tx, credit, page.rates);
      page.rates.assertComplete();
      return transfers;
    });
  try {
    return await book(true);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return await book(false);
  }
}

/** Whether a credit cannot be booked at all, so a retry would fail too. */
function isRefused(error: unknown): boolean {
  return error instanceof PayError || isRefusedByData(error);
}

/** Credits that may be usual, and the locked payments that they name. */
interface UsualCredits extends Pick<CreditPage, 'next' | 'answersOf' | 'rates'> {
  readonly credits: readonly IncomingCredit[];
  readonly named: readonly NamedPayment[];
}

/**
 * Moves the cursor, and books the usual credits in the same statement. A usual credit is new, names one payment without
 * an owner, and is the page's only credit for it. The payment does not have to expire first. Returns the new transfers,
 * and the credits that are `left`.
 */
async function bookTogether(
  deps: PaymentDeps,
  tx: Tx,
  rail: BankRail,
  { next, credits, named, answersOf, rates }: UsualCredits,
) {
  const creditsOf = Map.groupBy(named, ({ payment }) => payment.id);
  const paymentsOf = Map.groupBy(named, ({ payment, railReference }) => `${payment.merchant_id} ${railReference}`);
  const booked = new Set<IncomingCredit>();
  const plans: PlannedPayment[] = [];
  const transfers: NewTransfer[] = [];
  for (const credit of credits) {
    const [found, ...others] = paymentsOf.get(`${credit.merchantId} ${credit.railReference}`) ?? [];
    if (found === undefined || others.length > 0 || creditsOf.get(found.payment.id)?.length !== 1) continue;
    const { payment, instructions, isKnown } = found;
    const { merchant, now } = credit;
    const value = creditValue(credit, instructions, payment, rates);
    // The credit was booked before.
    if (isKnown) booked.add(credit);
    const isOver = payment.status === 'pending' && now >= payment.session_expires_at;
    if (isKnown || isOver || credit.currency !== rail.currency || isTooMuch(payment, value)) continue;
    const arrival = { ...arrivalOf(credit), method: 'bank_transfer', value, rates } as const;
    const plan = await planArrival(tx, deps, merchant, payment, arrival, now);
    plans.push(planPaymentChange(deps, unchangedPayment(plan.payment, now), await plan.change()));
    transfers.push(plan.transfer);
    booked.add(credit);
  }
  const answers = answersOf(transfers);
  const writes = [
    await insertOf(tx, 'transfers', transfers),
    savingCursor(rail.id, next),
    await keepingOf(tx, answers),
  ];
  const [, , kept] = await writePaymentChanges(tx, deps, plans, { writes });
  if (kept !== answers.length) throw stillRunning();
  return { transfers, left: credits.filter(credit => !booked.has(credit)) };
}

function withReferences(rail: BankRail, credit: BankCredit): FoundCredit {
  return { ...credit, rail, references: credit.reference === null ? [] : rail.findReferences(credit.reference) };
}

function withMerchants(
  { clock }: PaymentDeps,
  credits: readonly FoundCredit[],
  merchants: ReadonlyMap<string, Merchant>,
): IncomingCredit[] {
  return credits.map(credit => {
    const merchant = merchants.get(credit.merchantId);
    if (merchant === undefined) throw new Error(`merchant ${credit.merchantId} does not exist`);
    return { ...credit, merchant, now: merchantNow(merchant, credit.rail.livemode, clock.now()) };
  });
}

/**
 * Sorts credits by the owners (links, invoices) of the payments that they name. Booking locks owners, and the same
 * order in all transactions prevents deadlocks. Credits of one owner keep their order. Credits without a payment's
 * reference come last. They must not pay a payment that another credit names.
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

/** Sorts after all ids. */
const lastOwner = '\uffff';

/** Books one credit. If booking fails, stores the credit as unmatched, so that it does not block later credits. */
async function bookSafely(deps: PaymentDeps, tx: Tx, credit: IncomingCredit, rates: ArrivalRates): Promise<void> {
  try {
    if (await withSavepoint(tx, () => bookCredit(deps, tx, credit, rates))) return;
  } catch (error) {
    if (!isRefused(error)) throw error;
  }
  await keepUnmatched(tx, { ...transferOf(credit), ...unapplied });
}

/**
 * Credits the payment or top-up that the credit names, or the payment that `findInferred` finds. Returns false without
 * one, or if the credit would raise the payment's received amount above the API's maximum.
 */
async function bookCredit(deps: PaymentDeps, tx: Tx, credit: IncomingCredit, rates: ArrivalRates): Promise<boolean> {
  const { merchant, rail, now } = credit;
  if (credit.currency !== rail.currency) return false;
  const named = await findByReference(tx, merchant.id, rail.id, credit.references);
  const topUpId =
    named === null ? await deps.topUps.findByReference(tx, merchant.id, rail.id, credit.references) : null;
  if (topUpId !== null) {
    await deps.topUps.credit(tx, merchant, topUpId, transferOf(credit));
    return true;
  }
  const wanted = named === null ? await findInferred(deps, tx, credit) : ofInstructions(named);
  if (wanted === null) return false;
  const key = { merchantId: merchant.id, paymentId: wanted.paymentId };
  const payment = await endOverdueSession(tx, deps, await lockPayment(tx, key), now);
  const value = wanted.instructions === null ? credit.amount : creditValue(credit, wanted.instructions, payment, rates);
  // A credit without the payment's reference must not pay a payment that other money has just completed.
  if (isTooMuch(payment, value) || (named === null && !waitsForMoney(payment))) return false;
  const arrival = { ...arrivalOf(credit), method: 'bank_transfer', value, rates } as const;
  await creditPayment(tx, deps, merchant, payment, arrival, now);
  return true;
}

/** A payment to credit, and its instructions. Null: the credit is in the payment's currency. */
interface WantedPayment {
  readonly paymentId: string;
  readonly instructions: BankInstructionsRow | null;
}

function ofInstructions(instructions: BankInstructionsRow): WantedPayment {
  return { paymentId: instructions.payment_id, instructions };
}

/**
 * Finds the payment of a credit without a known reference. The text may name an invoice or a link. A credit with a
 * blank text pays the only payment that waits for its amount, unless the merchant's setting forbids this. Any other
 * text may mean another purpose, so the credit pays no payment.
 */
async function findInferred(deps: PaymentDeps, tx: Tx, credit: IncomingCredit): Promise<WantedPayment | null> {
  const { merchant, rail } = credit;
  if (!isBlankRemittance(credit.reference)) {
    const scope = { merchantId: merchant.id, livemode: rail.livemode };
    const payment = await findByName(deps, tx, scope, credit);
    return payment && { paymentId: payment.id, instructions: null };
  }
  const found = merchant.matchBankCreditsByAmount ? await findByAmount(tx, merchant.id, rail.id, credit) : null;
  return found && ofInstructions(found);
}

/** The credit in minor units of the payment's currency. */
function creditValue(
  { amount, currency, merchant, now }: IncomingCredit,
  instructions: NamedPayment['instructions'],
  payment: PaymentRow,
  rates: ArrivalRates,
): bigint {
  return valueOfBankMoney({ amount, currency, arrivedAt: now }, instructions, payment, { merchant, rates });
}

/** Whether the credit would raise the payment's received amount above the largest amount of the API. */
function isTooMuch({ amount_received: received }: PaymentRow, value: bigint): boolean {
  return received + value > maxWireAmount;
}

function transferOf(credit: IncomingCredit) {
  const { merchant, rail, now } = credit;
  return {
    merchant_id: merchant.id,
    id: newId('transfer'),
    livemode: rail.livemode,
    ...arrivalOf(credit),
    ...offChain,
    created_at: now,
  };
}

function arrivalOf({ rail, railReference, amount, currency, reference, sender }: IncomingCredit) {
  return { rail: rail.id, rail_reference: railReference, amount, currency, reference, sender };
}
