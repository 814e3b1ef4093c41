import type { PaymentPhase } from '../../api/payment.ts';
import type { PayError } from '../../core/error.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { OwnerView, PaymentRow, ViewContext } from './payment.view.ts';
import { keptOf } from './payment-funds.ts';

/** The object that a payment was made for, such as an invoice. Its type is that of a registered purpose. */
export interface PaymentOwner {
  readonly type: string;
  readonly id: string;
}

/** A change of a payment, as its purpose sees it. */
export interface OwnedChange {
  /** The payment before the change. When the change has several steps: before the first of them. */
  readonly before: PaymentRow;
  readonly payment: PaymentRow;
  /** Time on the merchant's clock. */
  readonly now: Date;
}

/** Why a purpose refuses money. `code` becomes the failure of the payment; the payer reads `message`. */
export interface MoneyRefusal {
  readonly code: string;
  readonly message: string;
}

/** Crypto that arrived for a payment and is about to be counted. `asset` is written as the rates write it. */
export interface IncomingCrypto {
  readonly merchantId: string;
  readonly paymentId: string;
  /** Currency of the payment. */
  readonly currency: string;
  readonly asset: string;
}

/** `first`: the payer begins to pay. `again`: the payer gets another quote, method or account to pay to. */
export type PayerRequest = 'first' | 'again';

/**
 * The rules for payments of one type of owner. The composition root registers one purpose for each type. The methods that
 * take a transaction run in the transaction that changes the payment, with the payment locked. A `PayError` that they
 * throw rolls the change back and becomes the caller's error response. The creation of a payment is no change.
 */
export interface PaymentPurpose extends OwnerView {
  /** Throws the payer's error when the payer may not begin to pay. */
  assertMayPay(tx: Tx, change: OwnedChange, request: PayerRequest): Promise<void>;
  /** Called at each change of a payment that is not completed. Links reserve and release their seats here. */
  followAttempt?(tx: Tx, change: OwnedChange): Promise<void>;
  /** Called when the payer has stopped paying. An owner that is already closed closes this payment, too. */
  attemptEnded(tx: Tx, change: OwnedChange): Promise<void>;
  /** Decides whether received money may complete a payment. A refusal ends the payment, and the money is late. */
  refuseMoney(tx: Tx, payment: PaymentRow, now: Date): Promise<MoneyRefusal | null>;
  /** Called when the received amount of a payment has grown, before the money is counted. */
  moneyReceived?(tx: Tx, change: OwnedChange): Promise<void>;
  /** Counts the money of a completed payment. Called on completion and whenever the kept amount changes afterwards. */
  countMoney(tx: Tx, change: OwnedChange): Promise<void>;
  /** The error for the payer of a payment that the owner has ended; null when the owner did not end it. */
  endedError(payment: PaymentRow): PayError | null;
  /** The merchant's message for the payer of a completed payment; null when there is none. */
  findSuccessMessage?(db: Db, payment: PaymentRow): Promise<string | null>;
  /** Called before the transaction that counts crypto, for questions to the network such as market rates. */
  prepareForCrypto?(incoming: readonly IncomingCrypto[]): Promise<void>;
}

/** What changing a payment needs besides its row. */
export interface ChangeContext extends ViewContext {
  readonly purposes: readonly PaymentPurpose[];
}

type Purposes = Pick<ChangeContext, 'purposes'>;

/** The purpose of the payment; null when it has no owner. Throws when no purpose of its owner's type is registered. */
export function purposeOf({ purposes }: Purposes, payment: Pick<PaymentRow, 'owner_type'>): PaymentPurpose | null {
  const { owner_type: type } = payment;
  if (type === null) return null;
  const purpose = purposes.find(each => each.type === type);
  if (purpose === undefined) throw new Error(`no purpose is registered for payments of type ${type}`);
  return purpose;
}

/** Id of the payment's owner, for a purpose that was given one of its own payments. */
export function ownerIdOf({ id, owner_id: ownerId }: Pick<PaymentRow, 'id' | 'owner_id'>): string {
  if (ownerId === null) throw new Error(`payment ${id} has no owner`);
  return ownerId;
}

/**
 * Reports changes to the purposes of the payments, ordered by owner. A purpose locks its owner's row, and two transactions
 * that lock owners in the same order cannot wait for each other.
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

/** The order in which payments are reported and their owners locked: by owner id. */
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

/** Whether the change asks the payer for money that was not on its way before. Steps of a running attempt do not. */
function payerRequest(before: PaymentRow, after: PaymentRow): PayerRequest | null {
  if (after.status !== 'pending') return null;
  if (before.phase !== after.phase && beginsAttempt(before.phase, after.phase)) {
    return waitsForPayer(before.phase) ? 'first' : 'again';
  }
  if (before.quote_id !== after.quote_id) return 'again';
  const isMovedOn = before.phase !== after.phase || before.amount_received !== after.amount_received;
  return !isMovedOn && destinationOf(before) !== destinationOf(after) ? 'again' : null;
}

function beginsAttempt(from: PaymentPhase, to: PaymentPhase): boolean {
  if (to === 'awaiting_funds') return from !== 'confirming';
  // The payer's wallet signed a transaction that the service has not submitted yet.
  if (to === 'confirming') return true;
  const isAttempt = to === 'processing' || to === 'requires_action';
  return isAttempt && from !== 'processing' && from !== 'requires_action';
}

/** Whether no money is known to be on its way and none was received. */
function waitsForPayer(phase: PaymentPhase): boolean {
  return phase === 'awaiting_payer' || phase === 'awaiting_funds';
}

/** Rail and address that the payer was told to pay to. */
function destinationOf({ next_action: action }: PaymentRow): string {
  if (action?.type === 'bank_instructions') return JSON.stringify([action.rail, action.reference]);
  if (action?.type === 'crypto_transfer') return JSON.stringify([action.chain, action.asset, action.address]);
  return '';
}

/** Whether no attempt is running in the phase: the payer takes the next step, or money arrives. */
export function isAtRest(phase: PaymentPhase): boolean {
  return waitsForPayer(phase) || phase === 'partially_paid';
}

/** Whether an attempt ended without completing the payment, or a part of the amount arrived. */
function hasStopped(before: PaymentRow, after: PaymentRow): boolean {
  if (after.status !== 'pending' || !isAtRest(after.phase)) return false;
  return !isAtRest(before.phase) || before.amount_received !== after.amount_received;
}
