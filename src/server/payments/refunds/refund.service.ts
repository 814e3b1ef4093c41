import type { EventType } from '../../../api/event.ts';
import type { CreateRefund } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { post } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordEvent } from '../../platform/events/outbox.ts';
import { disputedAmount } from '../card/card.store.ts';
import { changePayment } from '../payment.store.ts';
import { statusOf } from '../payment.ts';
import { type PaymentRow, refundToWire, type ViewContext } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { type Taken, takenPostings, takeOwned } from '../payment-funds.ts';
import type { ChangeContext } from '../payment-purpose.ts';
import { insertRefund, lockRefund, type RefundRow, refundableTransfers, saveDestination } from './refund.store.ts';
import { type RefundShare, shareRefund } from './refund.ts';
import { assertDestination } from './refund-destination.ts';

/** The sweep that sends refunds. */
export const refundSweep = 'refunds';

/**
 * What of a payment can be given back now, in minor units of its currency: `disputed` went back by the card's bank, and
 * what was paid into the merchant's own account only the merchant can give back.
 */
function refundable(payment: PaymentRow, disputed: bigint): bigint {
  const held = payment.amount_received - payment.amount_direct;
  const left = held - payment.amount_refunded - payment.amount_refunding - disputed;
  return left > 0n ? left : 0n;
}

/**
 * Starts a refund of a payment that the transaction holds locked: the money is reserved and the parts wait to be
 * sent. Money of the merchant goes first, then what is in suspense; `suspenseOnly` takes nothing else. Throws
 * `illegal_state` when there is nothing to give back, `refund_exceeds_payment` when more is asked for than there is,
 * `invalid_amount` when it is less than the rail can send, or what is wrong with the destination.
 */
export async function startRefund(
  tx: Tx,
  context: Pick<PaymentDeps, 'crypto' | keyof ChangeContext>,
  payment: PaymentRow,
  request: CreateRefund,
  now: Date,
  suspenseOnly = false,
): Promise<RefundRow> {
  const disputed = await disputedAmount(tx, payment.merchant_id, payment.id);
  const most = suspenseOnly ? payment.amount_suspense : refundable(payment, disputed);
  if (statusOf[payment.phase] === 'pending' || most === 0n) {
    throw new PayError('illegal_state', nothingToRefund(payment));
  }
  const amount = request.amount === undefined ? most : BigInt(request.amount);
  if (amount > most) {
    throw new PayError('refund_exceeds_payment', `At most ${most} of this payment can be refunded.`, {
      param: 'amount',
    });
  }
  const shares = shareRefund(amount, await refundableTransfers(tx, payment.merchant_id, payment.id));
  if (shares === null) {
    throw new PayError('invalid_amount', 'This is less than the smallest unit in which the money came. Refund more.', {
      param: 'amount',
    });
  }
  assertGoesTo(context, payment, request, shares);
  const owned = most - payment.amount_suspense;
  const fromSuspense = suspenseOnly ? amount : amount > owned ? amount - owned : 0n;
  const isLost = request.destination === undefined && shares.some(share => share.isAnonymous);
  const draft = { ...newRefund(payment, request, amount, fromSuspense, now), requires_destination: isLost };
  const refund = await insertRefund(
    tx,
    draft,
    shares.map(share => newPart(draft, share)),
  );
  const taken = takeOwned(payment, disputed, amount - fromSuspense);
  await reserve(tx, refund, taken, now);
  await tellRefund(tx, context, refund, 'refund.created', 1, now);
  await changePayment(tx, context, payment, {
    set: {
      amount_refunding: payment.amount_refunding + amount,
      amount_suspense: payment.amount_suspense - fromSuspense,
      amount_receivable: payment.amount_receivable + taken.receivable,
    },
    now,
  });
  return refund;
}

function newRefund(payment: PaymentRow, request: CreateRefund, amount: bigint, fromSuspense: bigint, now: Date) {
  return {
    merchant_id: payment.merchant_id,
    id: newId('refund'),
    payment_id: payment.id,
    livemode: payment.livemode,
    amount,
    currency: payment.currency,
    status: 'pending' as const,
    amount_from_suspense: fromSuspense,
    reason: request.reason ?? null,
    destination: request.destination === undefined ? null : JSON.stringify(request.destination),
    metadata: JSON.stringify(request.metadata ?? {}),
    failure_code: null,
    failure_message: null,
    created_at: now,
  };
}

function nothingToRefund(payment: PaymentRow): string {
  return payment.amount_direct > 0n
    ? 'This payment was paid straight into your own account. Give the money back from there.'
    : 'There is nothing on this payment that could be refunded.';
}

/** Refuses a destination that is none on the chain by which the money goes back. */
function assertGoesTo(
  { crypto }: Pick<PaymentDeps, 'crypto'>,
  payment: PaymentRow,
  { destination }: CreateRefund,
  shares: readonly RefundShare[],
): void {
  if (destination === undefined) return;
  for (const { chain, livemode } of crypto) {
    const isUsed = livemode === payment.livemode && shares.some(share => share.isOnChain && share.rail === chain.id);
    if (isUsed) assertDestination(chain, destination, 'destination');
  }
}

/** A part whose receiver nobody knows is not due before somebody says where to. */
function newPart(refund: ReturnType<typeof newRefund>, share: RefundShare) {
  const isLost = share.isAnonymous && refund.destination === null;
  return {
    merchant_id: refund.merchant_id,
    refund_id: refund.id,
    id: newId('refund'),
    livemode: refund.livemode,
    transfer_id: share.transferId,
    rail: share.rail,
    amount: share.amount,
    rail_amount: share.railAmount,
    rail_currency: share.currency,
    state: 'pending' as const,
    rail_reference: null,
    due_at: isLost ? null : refund.created_at,
    created_at: refund.created_at,
  };
}

async function reserve(tx: Tx, refund: RefundRow, taken: Taken, now: Date): Promise<void> {
  await post(tx, {
    merchantId: refund.merchant_id,
    livemode: refund.livemode,
    kind: 'refund',
    paymentId: refund.payment_id,
    refundId: refund.id,
    postings: [
      ...takenPostings(taken, 'merchant.reserved', refund.currency),
      ...move('merchant.suspense', 'merchant.reserved', refund.currency, refund.amount_from_suspense),
    ],
    now,
  });
}

/** Tells of a refund. `sequence` counts its events. */
export async function tellRefund(
  tx: Tx,
  context: ViewContext,
  refund: RefundRow,
  type: EventType,
  sequence: number,
  now: Date,
): Promise<void> {
  await recordEvent(tx, {
    merchantId: refund.merchant_id,
    livemode: refund.livemode,
    type,
    resourceId: refund.id,
    sequence,
    object: refundToWire(context, refund),
    previous: sequence === 1 ? null : { status: 'pending' },
    now,
  });
}

/**
 * Says where a refund that waits for it is to go (`requires_destination`): from then on it is sent. Throws
 * `invalid_address` or `parameter_invalid` for what is no destination on its chain, `illegal_state` when it does not wait.
 */
export async function directRefund(
  tx: Tx,
  deps: Pick<PaymentDeps, 'crypto'>,
  key: { readonly merchantId: string; readonly refundId: string },
  destination: Readonly<Record<string, string>>,
  now: Date,
): Promise<RefundRow> {
  const { refund, parts } = await lockRefund(tx, key.merchantId, key.refundId);
  const waiting = parts.filter(part => part.state === 'pending' && part.due_at === null);
  for (const { chain, livemode } of deps.crypto) {
    const isUsed = livemode === refund.livemode && waiting.some(part => part.rail === chain.id);
    if (isUsed) assertDestination(chain, destination, 'destination');
  }
  const directed = await saveDestination(tx, refund, destination, now);
  if (directed === null) throw new PayError('illegal_state', 'This refund does not wait for an address.');
  return directed;
}
