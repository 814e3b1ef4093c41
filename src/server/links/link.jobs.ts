import type { LinkStatus } from '../../api/link.ts';
import type { PaymentPhase } from '../../api/payment.ts';
import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { giveUpOpenAttempt } from '../payments/card/payment-card.service.ts';
import { closePayments } from '../payments/checkout/payment-lifecycle.service.ts';
import { findPayment, lockPayment, type PaymentKey } from '../payments/payment.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { changePayment } from '../payments/payment-change.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { findPartlyPaid } from '../payments/payment-owner.store.ts';
import { startRefund } from '../payments/refunds/refund.service.ts';
import type { Tx } from '../platform/db/database.ts';
import { runEach } from '../platform/jobs/run-each.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import { expireLink } from './link.service.ts';
import { findLink, forgetVisits } from './link.store.ts';
import { linkOwner, waitsForPayer } from './link.ts';
import {
  type ClosingLink,
  claimClosingLinks,
  closeAgain,
  type DueLink,
  endClosing,
  findOverdueLinks,
} from './link-due.store.ts';
import { noRoomForMoney, refusalOf } from './link-refusal.ts';
import {
  claimDueReservations,
  type DueReservation,
  findReservedPayments,
  isStillDue,
  moveReservation,
  releaseReservation,
} from './link-reservation.store.ts';
import { isReserved, linkOf, reviewSeconds } from './link-reservation.ts';
import { countOpens, openSweep } from './link-visit.service.ts';

const batch = 50;
const daySeconds = 86_400;

/** The sweeps of links: expiry, closing, visits and reservations. */
export function linkSweeps(deps: PaymentDeps): Sweep[] {
  return [
    { name: 'links.expire', everyMs: 1_000, run: () => expireLinks(deps) },
    { name: 'links.close', everyMs: 1_000, run: () => closeLinks(deps) },
    { name: openSweep, everyMs: 1_000, run: () => countOpens(deps) },
    { name: 'links.reservations', everyMs: 1_000, run: () => reviewReservations(deps) },
    {
      name: 'links.visits',
      everyMs: 3_600_000,
      run: () => forgetVisits(deps.db, addSeconds(deps.clock.now(), -2 * daySeconds), 1_000),
    },
  ];
}

async function expireLinks(deps: PaymentDeps): Promise<number> {
  const due = await findOverdueLinks(deps.db, deps.clock.now(), batch);
  return await runEach(due, link => expireLink(deps, link, link.clock));
}

/**
 * Phases of payments that a closed link ends: those that were not begun. A completed link also ends those whose payers
 * have not sent anything.
 */
const untouched: Readonly<Record<Exclude<LinkStatus, 'active'>, readonly PaymentPhase[]>> = {
  completed: ['awaiting_payer', 'awaiting_funds'],
  expired: ['awaiting_payer'],
  disabled: ['awaiting_payer'],
};

const stateOfStatus = { completed: 'used', expired: 'expired', disabled: 'disabled' } as const;

async function closeLinks(deps: PaymentDeps): Promise<number> {
  return await runEach(await claimClosingLinks(deps.db, deps.clock.now(), batch), due => closeLink(deps, due));
}

/** Ends the payments of a closed link that were not begun, so that no payer pays in vain. */
async function closeLink(deps: PaymentDeps, due: ClosingLink): Promise<void> {
  const link = await findLink(deps.db, due);
  if (link === null || link.status === 'active') return;
  const merchant = await deps.findMerchant(due.merchantId);
  const { code, message } = refusalOf(stateOfStatus[link.status]);
  await closePayments(deps, { merchant, now: due.clock }, linkOwner(link.id), {
    phases: untouched[link.status],
    reason: { code, message },
  });
  if (link.status === 'completed') await cancelLostParts(deps, due);
  await endClosing(deps.db, due);
}

/** Cancels payments of a completed link that received only a part; the part is refunded. */
async function cancelLostParts(deps: PaymentDeps, due: DueLink): Promise<void> {
  const owner = { ...linkOwner(due.linkId), merchantId: due.merchantId };
  for (;;) {
    const reserved = await findReservedPayments(deps.db, due);
    let ended = 0;
    await runEach(await findPartlyPaid(deps.db, owner, { except: reserved, limit: batch }), async id => {
      if (await cancelLostPart(deps, { merchantId: due.merchantId, paymentId: id }, due.clock)) ended++;
    });
    if (ended === 0) return;
  }
}

async function cancelLostPart(deps: PaymentDeps, key: PaymentKey, now: Date): Promise<boolean> {
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, key);
    if (payment.phase !== 'partially_paid' || (await isReserved(tx, payment))) return false;
    const { code, message } = noRoomForMoney('paid');
    const failure = { failure_code: code, failure_message: message };
    await changePayment(tx, deps, payment, { to: 'canceled', set: { ...failure, next_action: null }, now });
    return true;
  });
}

async function reviewReservations(deps: PaymentDeps): Promise<number> {
  const reservations = await claimDueReservations(deps.db, deps.clock.now(), batch);
  return await runEach(reservations, reservation =>
    reservation.state === 'reserved' ? reviewReservation(deps, reservation) : refundLostMoney(deps, reservation),
  );
}

/**
 * Releases the reservation of a payer who left the page of the card's bank, or sent only a part. A payer who is active
 * again keeps it.
 */
async function reviewReservation(deps: PaymentDeps, reservation: DueReservation): Promise<void> {
  const payment = await findPayment(deps.db, reservation);
  // Read after the payment: if the reservation is still due, the payment has not changed since it was read.
  if (payment === null || !(await isStillDue(deps.db, reservation))) return;
  if (!waitsForPayer(payment.phase))
    return await moveReservation(deps.db, reservation, addSeconds(reservation.clock, reviewSeconds));
  const merchant = await deps.findMerchant(reservation.merchantId);
  const now = merchantNow(merchant, reservation.livemode, deps.clock.now());
  await giveUpOpenAttempt(deps, { merchant, now }, reservation.paymentId);
  await deps.db.transaction().execute(async tx => {
    const found = await lockPayment(tx, reservation);
    if (await hasMoved(tx, reservation, payment, found)) return;
    await releaseReservation(tx, reservation, now);
    await closeAgain(tx, linkOf(found), now);
  });
}

/**
 * Whether the payment changed since it was read, other than by the attempt that was given up here. Call it with the
 * payment locked.
 */
async function hasMoved(tx: Tx, reservation: DueReservation, read: PaymentRow, found: PaymentRow): Promise<boolean> {
  if (found.phase !== 'partially_paid' || found.amount_received !== read.amount_received) return true;
  // Giving up an attempt moves the due time like a step of the payer. Only a decline is the payer's own.
  if (read.phase === 'requires_action') return found.declined_attempts !== read.declined_attempts;
  return !(await isStillDue(tx, reservation));
}

/**
 * Refunds the money of a payment that lost its use of the link. What cannot be refunded automatically is left to the
 * merchant.
 */
async function refundLostMoney(deps: PaymentDeps, reservation: DueReservation): Promise<void> {
  try {
    await deps.db.transaction().execute(async tx => {
      const payment = await lockPayment(tx, reservation);
      if (payment.amount_suspense > 0n) {
        await startRefund(tx, deps, payment, { reason: 'paid_late' }, reservation.clock, true);
      }
      await moveReservation(tx, reservation, null);
    });
    deps.outbound.wake();
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    deps.log.warn(
      { err: error, payment: reservation.paymentId },
      'money of a used link could not be sent back by itself',
    );
    await moveReservation(deps.db, reservation, null);
  }
}
