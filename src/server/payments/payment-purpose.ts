import type { PaymentPhase } from '../../api/payment.ts';
import type { PayError } from '../../core/error.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { OwnerView, ViewContext } from './payment.view.ts';
import { keptOf } from './payment-funds.ts';
import type { PaymentRow } from './tables.ts';

/** The object that the payment pays, such as an invoice. Its type is the type of a registered purpose. */
export interface PaymentOwner {
  readonly type: string;
  readonly id: string;
}

/** A change of a payment, for its purpose. */
export interface OwnedChange {
  /** The payment before the change, or before the first of several steps. */
  readonly before: PaymentRow;
  readonly payment: PaymentRow;
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

/** Why a purpose refuses money. `code` becomes the payment's failure code, and the payer sees `message`. */
export interface MoneyRefusal {
  readonly code: string;
  readonly message: string;
}

/** Crypto that arrived for a payment and will be counted next. `asset` is in the form that rates use. */
export interface IncomingCrypto {
  readonly merchantId: string;
  readonly paymentId: string;
  /** Currency of the payment. */
  readonly currency: string;
  readonly asset: string;
}

/** The owner of payments, and its merchant. */
interface OwnerId {
  readonly merchantId: string;
  readonly id: string;
}

/** Bank money whose text names an owner. `amount` is in minor units. */
interface NamedMoney {
  readonly amount: bigint;
  readonly currency: string;
}

/** `first`: the payer starts to pay. `again`: the payer gets a new quote, method or receiving account. */
export type PayerRequest = 'first' | 'again';

/**
 * The rules for payments of one type of owner. The composition root registers one purpose for each type. Methods with a
 * transaction run in the transaction that changes the locked payment. A `PayError` rolls the change back and becomes
 * the caller's error response. When a payment is created, only `wireFields` is called.
 */
export interface PaymentPurpose extends OwnerView {
  /** Whether the purpose mails receipts itself. Its payments then mail none. */
  readonly mailsReceipts?: boolean;
  /** Whether new prices in crypto are those at which the market takes the whole amount. */
  readonly pricesByAmount?: boolean;
  /** Whether all payments of an owner pay one debt. Money that names the owner may then pay any of them. */
  readonly paysOneAmount?: boolean;
  /** Throws the payer's error if the payer may not start to pay. */
  assertMayPay(tx: Tx, change: OwnedChange, request: PayerRequest): Promise<void>;
  /** Called at each change of an incomplete payment. Links reserve and release their uses here. */
  followAttempt?(tx: Tx, change: OwnedChange): Promise<void>;
  /** Called when an attempt failed, or a part of the amount arrived. A closed owner then also ends this payment. */
  attemptEnded(tx: Tx, change: OwnedChange): Promise<void>;
  /**
   * Decides whether received money may complete a payment. A refusal ends the payment, and its money counts as late.
   */
  refuseMoney(tx: Tx, payment: PaymentRow, now: Date): Promise<MoneyRefusal | null>;
  /** Called after the received amount has grown, before the money is counted. */
  moneyReceived?(tx: Tx, change: OwnedChange): Promise<void>;
  /** Counts the money of a completed payment: on completion, and after each change of the kept amount. */
  countMoney(tx: Tx, change: OwnedChange): Promise<void>;
  /** Called after the crypto of the payment was converted, or could not be. */
  converted?(tx: Tx, payment: PaymentRow, now: Date): Promise<void>;
  /** The error for the payer of a payment that the owner ended. Null if the owner did not end it. */
  endedError(payment: PaymentRow): PayError | null;
  /** The merchant's message for the payer of a completed payment, or null. */
  findSuccessMessage?(db: Db, payment: PaymentRow): Promise<string | null>;
  /** Called before the transaction that counts crypto, for network requests such as market rates. */
  prepareForCrypto?(incoming: readonly IncomingCrypto[]): Promise<void>;
  /** Ids of the owners with these plain names (`namesIn`), which the text of a bank credit may contain. */
  findNamed?(db: Executor, scope: MerchantScope, names: readonly string[]): Promise<readonly string[]>;
  /** May start a payment for a credit that names the owner. Called before the transaction that books the credit. */
  startForCredit?(owner: OwnerId, credit: NamedMoney): Promise<void>;
}

export interface ChangeContext extends ViewContext {
  readonly purposes: readonly PaymentPurpose[];
}

type Purposes = Pick<ChangeContext, 'purposes'>;

/** The purpose of the payment, or null without an owner. Throws if no purpose of the owner's type is registered. */
export function purposeOf({ purposes }: Purposes, payment: Pick<PaymentRow, 'owner_type'>): PaymentPurpose | null {
  const { owner_type: type } = payment;
  if (type === null) return null;
  const purpose = purposes.find(each => each.type === type);
  if (purpose === undefined) throw new Error(`no purpose is registered for payments of type ${type}`);
  return purpose;
}

/** Id of the payment's owner. Throws for a payment without an owner. */
export function ownerIdOf({ id, owner_id: ownerId }: Pick<PaymentRow, 'id' | 'owner_id'>): string {
  if (ownerId === null) throw new Error(`payment ${id} has no owner`);
  return ownerId;
}

/**
 * Reports changes to the purposes of the payments, in the order of owners. Purposes lock their owners' rows, and the
 * fixed order prevents deadlocks.
 */
export async function reportChanges(
  tx: Tx,
  context: Purposes,
  changed: readonly { readonly before: PaymentRow; readonly after: PaymentRow; readonly now: Date }[],
): Promise<void> {
  for (const { before, after, now } of changed.toSorted((a, b) => byOwner(a.after, b.after))) {
    const purpose = purposeOf(context, after);
    if (purpose !== null) await reportChange(tx, purpose, { before, payment: after, now });
  }
}

/** The order for reporting payments and locking their owners: by owner id. */
export function byOwner(a: Pick<PaymentRow, 'owner_id'>, b: Pick<PaymentRow, 'owner_id'>): number {
  const [first, second] = [a.owner_id ?? '', b.owner_id ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
}

async function reportChange(tx: Tx, purpose: PaymentPurpose, change: OwnedChange): Promise<void> {
  const { before, payment } = change;
  const request = payerRequest(before, payment);
  if (request !== null) await purpose.assertMayPay(tx, change, request);
  if (payment.amount_received > before.amount_received) await purpose.moneyReceived?.(tx, change);
  if (payment.completed_at !== null) {
    const hasChanged = before.completed_at === null || keptOf(before) !== keptOf(payment);
    if (hasChanged) await purpose.countMoney(tx, change);
    return;
  }
  await purpose.followAttempt?.(tx, change);
  if (hasStopped(before, payment)) await purpose.attemptEnded(tx, change);
}

/** The payer's request that the change contains, or null. Later steps of a running attempt are not requests. */
function payerRequest(before: PaymentRow, after: PaymentRow): PayerRequest | null {
  if (after.status !== 'pending') return null;
  if (before.phase !== after.phase && beginsAttempt(before.phase, after.phase)) {
    return isUnpaid(before.phase) ? 'first' : 'again';
  }
  // Money that arrives may also change the quote and the instructions for the rest.
  const isMovedOn = before.phase !== after.phase || before.amount_received !== after.amount_received;
  if (isMovedOn) return null;
  return before.quote_id !== after.quote_id || destinationOf(before) !== destinationOf(after) ? 'again' : null;
}

function beginsAttempt(from: PaymentPhase, to: PaymentPhase): boolean {
  if (to === 'awaiting_funds') return from !== 'confirming';
  // The payer's wallet has signed a transaction, and the service submits it next.
  if (to === 'confirming') return true;
  const isAttempt = to === 'processing' || to === 'requires_action';
  return isAttempt && from !== 'processing' && from !== 'requires_action';
}

/** Whether no money was received, and no money is known to be in transit. */
function isUnpaid(phase: PaymentPhase): boolean {
  return phase === 'awaiting_payer' || phase === 'awaiting_funds';
}

/** Rail and address of the payer's instructions. */
function destinationOf({ next_action: action }: PaymentRow): string {
  if (action?.type === 'bank_instructions') return JSON.stringify([action.rail, action.reference]);
  if (action?.type === 'crypto_transfer') return JSON.stringify([action.chain, action.asset, action.address]);
  return '';
}

/** Whether no attempt is running in the phase. The next event is then a step of the payer or received money. */
export function isAtRest(phase: PaymentPhase): boolean {
  return isUnpaid(phase) || phase === 'partially_paid';
}

/** Whether an attempt ended without completing the payment, or a part of the amount arrived. */
function hasStopped(before: PaymentRow, after: PaymentRow): boolean {
  if (after.status !== 'pending' || !isAtRest(after.phase)) return false;
  return !isAtRest(before.phase) || before.amount_received !== after.amount_received;
}
