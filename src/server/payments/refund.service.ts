import type { EventType } from '../../api/event.ts';
import type { CreateRefund } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import type { Tx } from '../db/database.ts';
import { recordEvent } from '../events/outbox.ts';
import { post } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { RefundOutcome } from '../rails/rail.ts';
import { disputedAmount } from './dispute.store.ts';
import { changePayment, lockPayment } from './payment.store.ts';
import { statusOf } from './payment.ts';
import { type PaymentRow, refundToWire, type ViewContext } from './payment.view.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { returnedPostings, returnOwned, type Taken, takenPostings, takeOwned } from './payment-funds.ts';
import {
  claimDueParts,
  type DuePart,
  endPart,
  endRefund,
  insertRefund,
  lockRefund,
  noteFailure,
  type RefundPartRow,
  type RefundRow,
  refundableTransfers,
} from './refund.store.ts';
import { type RefundShare, shareRefund } from './refund.ts';

/** The sweep that sends refunds. */
export const refundSweep = 'refunds';

/** What of a payment can be given back now, in minor units of its currency; `disputed` went back by the card's bank. */
function refundable(payment: PaymentRow, disputed: bigint): bigint {
  const left = payment.amount_received - payment.amount_refunded - payment.amount_refunding - disputed;
  return left > 0n ? left : 0n;
}

/**
 * Starts a refund of a payment that the transaction holds locked: the money is reserved and the parts wait to be
 * sent. Money of the merchant goes first, then what is in suspense; `suspenseOnly` takes nothing else. Throws
 * `illegal_state` when there is nothing to give back, `refund_exceeds_payment` when more is asked for than there is,
 * `invalid_amount` when it is less than the rail can send.
 */
export async function startRefund(
  tx: Tx,
  context: ViewContext,
  payment: PaymentRow,
  request: CreateRefund,
  now: Date,
  suspenseOnly = false,
): Promise<RefundRow> {
  const disputed = await disputedAmount(tx, payment.merchant_id, payment.id);
  const most = suspenseOnly ? payment.amount_suspense : refundable(payment, disputed);
  if (statusOf[payment.phase] === 'pending' || most === 0n) {
    throw new PayError('illegal_state', 'There is nothing on this payment that could be refunded.');
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
  const owned = most - payment.amount_suspense;
  const fromSuspense = suspenseOnly ? amount : amount > owned ? amount - owned : 0n;
  const draft = newRefund(payment, request, amount, fromSuspense, now);
  const refund = await insertRefund(
    tx,
    draft,
    shares.map(share => newPart(draft, share)),
  );
  const taken = takeOwned(payment, disputed, amount - fromSuspense);
  await reserve(tx, refund, taken, now);
  await tellRefund(tx, refund, 'refund.created', 1, now);
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

function newPart(refund: ReturnType<typeof newRefund>, share: RefundShare) {
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
    due_at: refund.created_at,
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

async function tellRefund(tx: Tx, refund: RefundRow, type: EventType, sequence: number, now: Date): Promise<void> {
  await recordEvent(tx, {
    merchantId: refund.merchant_id,
    livemode: refund.livemode,
    type,
    resourceId: refund.id,
    sequence,
    object: refundToWire(refund),
    previous: sequence === 1 ? null : { status: 'pending' },
    now,
  });
}

/** Sends refunds that wait, and asks after those on their way. Returns how many parts it looked at. */
export async function sendRefunds(deps: PaymentDeps): Promise<number> {
  const parts = await claimDueParts(deps.db, deps.clock.now(), 20);
  const sent = await Promise.allSettled(parts.map(part => sendPart(deps, part)));
  for (const one of sent) if (one.status === 'rejected') throw one.reason;
  return parts.length;
}

async function sendPart(deps: PaymentDeps, part: DuePart): Promise<void> {
  const outcome = await askRailToRefund(deps, part);
  if (outcome.state === 'completed' || outcome.state === 'failed') {
    await deps.db.transaction().execute(tx => bookPart(deps, tx, part, outcome, part.clock));
  }
}

async function askRailToRefund(deps: PaymentDeps, part: DuePart): Promise<RefundOutcome> {
  const rail = [deps.rails.card, ...deps.rails.banks].find(candidate => candidate?.id === part.rail);
  if (!rail) return { state: 'unknown' };
  const known = part.attempts > 1 ? await rail.refundStatus(part.id, part.clock) : null;
  if (known !== null && known.state !== 'unknown') return known;
  return await rail.refund({
    refundId: part.id,
    merchantId: part.merchant_id,
    railReference: part.transfer_reference,
    amount: part.rail_amount,
    currency: part.rail_currency,
    destination: part.destination,
    now: part.clock,
  });
}

type EndedOutcome = Extract<RefundOutcome, { state: 'completed' | 'failed' }>;

/** Books the end of a part; when it was the last one the refund ends too. */
async function bookPart(
  deps: PaymentDeps,
  tx: Tx,
  part: RefundPartRow,
  outcome: EndedOutcome,
  now: Date,
): Promise<void> {
  const { refund, parts: before } = await lockRefund(tx, part.merchant_id, part.refund_id);
  const payment = await lockPayment(tx, { merchantId: refund.merchant_id, paymentId: refund.payment_id });
  const done = outcome.state === 'completed';
  if (!(await endPart(tx, part, outcome.state, done ? outcome.railReference : null))) return;
  const toSuspense = done ? 0n : backToSuspense(refund, before, part);
  const returned = returnOwned(payment, done ? 0n : part.amount - toSuspense);
  await post(tx, {
    merchantId: refund.merchant_id,
    livemode: refund.livemode,
    kind: done ? 'refund_sent' : 'refund_failed',
    paymentId: refund.payment_id,
    refundId: refund.id,
    postings: done
      ? exchange('merchant.reserved', { currency: refund.currency, amount: part.amount }, `clearing.${part.rail}`, {
          currency: part.rail_currency,
          amount: part.rail_amount,
        })
      : [
          ...move('merchant.reserved', 'merchant.suspense', refund.currency, toSuspense),
          ...returnedPostings(returned, 'merchant.reserved', refund.currency),
        ],
    now,
  });
  await countPart(deps, tx, { payment, refund, part, toSuspense, returned, isSent: done, now });
  if (outcome.state === 'failed') await noteFailure(tx, refund, outcome);
  const { refund: noted, parts } = await lockRefund(tx, part.merchant_id, part.refund_id);
  if (parts.every(other => other.state !== 'pending')) await finishRefund(tx, noted, parts, now);
}

/** Whether the refund gives back only what was too much or too late: the payment's own phase is not touched by it. */
function isSurplus(refund: RefundRow): boolean {
  return refund.amount_from_suspense === refund.amount;
}

/**
 * What of a part that could not be sent belongs back in suspense. Money of the merchant went first, so what failed of
 * the refund is money from suspense up to what was taken from there.
 */
function backToSuspense(refund: RefundRow, parts: readonly RefundPartRow[], failed: RefundPartRow): bigint {
  const failedBefore = parts.filter(part => part.state === 'failed').reduce((sum, part) => sum + part.amount, 0n);
  const upTo = (amount: bigint) => (amount < refund.amount_from_suspense ? amount : refund.amount_from_suspense);
  return upTo(failedBefore + failed.amount) - upTo(failedBefore);
}

interface EndedPart {
  readonly payment: PaymentRow;
  readonly refund: RefundRow;
  readonly part: RefundPartRow;
  readonly toSuspense: bigint;
  /** What of a part that could not be sent is the merchant's again. */
  readonly returned: Taken;
  readonly isSent: boolean;
  readonly now: Date;
}

async function countPart(context: ViewContext, tx: Tx, ended: EndedPart): Promise<void> {
  const { payment, refund, part, isSent, now } = ended;
  const refunded = payment.amount_refunded + (isSent ? part.amount : 0n);
  const completed = statusOf[payment.phase] === 'completed';
  const counted = {
    amount_refunding: payment.amount_refunding - part.amount,
    amount_refunded: refunded,
    amount_suspense: payment.amount_suspense + ended.toSuspense,
    amount_receivable: payment.amount_receivable - ended.returned.receivable,
    ...(completed && !isSent && { settlement_due_at: now }),
  };
  const to =
    refunded === payment.amount_received ? 'refunded' : isSurplus(refund) ? payment.phase : 'partially_refunded';
  await changePayment(tx, context, payment, { ...(completed && isSent ? { to } : {}), set: counted, now });
}

async function finishRefund(tx: Tx, refund: RefundRow, parts: readonly RefundPartRow[], now: Date): Promise<void> {
  const sent = parts.filter(part => part.state === 'completed').reduce((sum, part) => sum + part.amount, 0n);
  const isSent = sent === refund.amount;
  const reason = refund.failure_message ?? 'A part could not be sent.';
  const message = sent === 0n ? reason : `${reason} ${sent} of ${refund.amount} was sent.`;
  const ended = await endRefund(tx, refund, isSent ? { status: 'completed' } : { status: 'failed', message });
  await tellRefund(tx, ended, isSent ? 'refund.completed' : 'refund.failed', ended.event_sequence, now);
}
