import { post } from '../../ledger/ledger.store.ts';
import { exchange, move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { RefundOutcome } from '../../rails/rail.ts';
import { changePayment, lockPayment } from '../payment.store.ts';
import { statusOf } from '../payment.ts';
import type { PaymentRow, ViewContext } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { returnedPostings, returnOwned, type Taken } from '../payment-funds.ts';
import type { ChangeContext } from '../payment-purpose.ts';
import { tellRefund } from './refund.service.ts';
import {
  claimDueParts,
  type DuePart,
  endPart,
  endRefund,
  lockRefund,
  noteFailure,
  type RefundPartRow,
  type RefundRow,
  suspendPart,
} from './refund.store.ts';
import { sendBack } from './refund-rail.service.ts';

/** Sends refunds that wait, and asks after those on their way. Returns how many parts it looked at. */
export async function sendRefunds(deps: PaymentDeps): Promise<number> {
  const parts = await claimDueParts(deps.db, deps.clock.now(), 20);
  const sent = await Promise.allSettled(parts.map(part => sendPart(deps, part)));
  for (const one of sent) if (one.status === 'rejected') throw one.reason;
  return parts.length;
}

async function sendPart(deps: PaymentDeps, part: DuePart): Promise<void> {
  const outcome = await sendBack(deps, {
    refundId: part.id,
    merchantId: part.merchant_id,
    livemode: part.livemode,
    rail: part.rail,
    railReference: part.transfer_reference,
    amount: part.rail_amount,
    currency: part.rail_currency,
    destination: part.destination,
    sender: part.sender,
    attempts: part.attempts,
    directions: part.directions,
    now: part.clock,
  });
  if (outcome.state !== 'completed' && outcome.state !== 'failed') return;
  await deps.db.transaction().execute(async tx => {
    if (outcome.state === 'failed' && isDestinationAtFault(deps, part, outcome.code)) {
      await awaitDestination(deps, tx, part, outcome);
    } else await bookPart(deps, tx, part, outcome, part.clock);
  });
}

function isDestinationAtFault({ crypto }: Pick<PaymentDeps, 'crypto'>, part: DuePart, code: string): boolean {
  const rail = crypto.find(({ chain, livemode }) => chain.id === part.rail && livemode === part.livemode);
  return rail?.refunds?.isAddressFault(code) ?? false;
}

/** The money stays reserved, and the payer is asked where it is to go. */
async function awaitDestination(
  context: ViewContext,
  tx: Tx,
  part: DuePart,
  failure: { readonly code: string; readonly message: string },
): Promise<void> {
  const { refund, parts } = await lockRefund(tx, part.merchant_id, part.refund_id);
  const isOpen = parts.some(({ id, state }) => id === part.id && state === 'pending');
  if (!isOpen || refund.directions !== part.directions) return;
  const waiting = await suspendPart(tx, refund, part, failure);
  await tellRefund(tx, context, waiting, 'refund.requires_destination', waiting.event_sequence, part.clock);
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
  if (parts.every(other => other.state !== 'pending')) await finishRefund(deps, tx, noted, parts, now);
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

async function countPart(context: ChangeContext, tx: Tx, ended: EndedPart): Promise<void> {
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

async function finishRefund(
  context: ViewContext,
  tx: Tx,
  refund: RefundRow,
  parts: readonly RefundPartRow[],
  now: Date,
): Promise<void> {
  const sent = parts.filter(part => part.state === 'completed').reduce((sum, part) => sum + part.amount, 0n);
  const isSent = sent === refund.amount;
  const reason = refund.failure_message ?? 'A part could not be sent.';
  const message = sent === 0n ? reason : `${reason} ${sent} of ${refund.amount} was sent.`;
  const ended = await endRefund(tx, refund, isSent ? { status: 'completed' } : { status: 'failed', message });
  await tellRefund(tx, context, ended, isSent ? 'refund.completed' : 'refund.failed', ended.event_sequence, now);
}
