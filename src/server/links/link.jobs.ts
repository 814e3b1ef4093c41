import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { giveUpOpenAttempt } from '../payments/attempts/attempt-follow.service.ts';
import { findPayment, lockPayment, type PaymentKey } from '../payments/payment.store.ts';
import { changePayment } from '../payments/payment-change.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { closePayments } from '../payments/payment-lifecycle.service.ts';
import { findPartlyPaid } from '../payments/payment-owner.store.ts';
import { startRefund } from '../payments/refunds/refund.service.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Tx } from '../platform/db/database.ts';
import { runEach, type Sweep } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import { expireLink } from './link.service.ts';
import {
  closeAgain,
  deleteVisits,
  expiringLinks,
  findLink,
  findOverdueLinks,
  type LinkKey,
  linkClosing,
  newVisits,
} from './link.store.ts';
import { type LinkRow, linkOwner, noRoomForMoney, refusalOf, waitsForPayer } from './link.ts';
import { isReserved, linkOf, reviewSeconds } from './link-purpose.ts';
import {
  claimDueReservations,
  type DueReservation,
  dueReservations,
  findReservedPayments,
  isStillDue,
  moveReservation,
  releaseReservation,
} from './link-reservation.store.ts';
import { countVisits, visitSweep } from './link-visit.service.ts';

const batch = 50;
const daySeconds = 86_400;

/** The sweeps of links: expiry, closing, visits and reservations. */
export function linkSweeps(deps: PaymentDeps): Sweep[] {
  return [
    { name: 'links.expire', due: [expiringLinks], run: () => expireLinks(deps) },
    { name: 'links.close', due: [linkClosing.due], run: () => closeLinks(deps) },
    { name: visitSweep, due: [newVisits], run: () => countVisits(deps) },
    { name: 'links.reservations', due: [dueReservations], run: () => reviewReservations(deps) },
    {
      name: 'links.visits',
      everyMs: 3_600_000,
      run: () => deleteVisits(deps.db, addSeconds(deps.clock.now(), -2 * daySeconds), 1_000),
    },
  ];
}

async function expireLinks(deps: PaymentDeps): Promise<number> {
  const due = await findOverdueLinks(deps.db, deps.clock.now(), batch);
  return await runEach(due, link => expireLink(deps, link, link.clock));
}

/**
 * For each status of a closed link: the link's state for payers, and the phases of payments that the link ends. A
 * completed link also ends payments that a payer has begun but not paid.
 */
const closing = {
  completed: { state: 'used', phases: ['awaiting_payer', 'awaiting_funds'] },
  expired: { state: 'expired', phases: ['awaiting_payer'] },
  disabled: { state: 'disabled', phases: ['awaiting_payer'] },
} as const;

async function closeLinks(deps: PaymentDeps): Promise<number> {
  return await runEach(await linkClosing.claim(deps.db, deps.clock.now(), batch), due => closeLink(deps, due));
}

/** Ends open payments of a closed link. Otherwise payers could pay without getting a use. */
async function closeLink(deps: PaymentDeps, due: LinkRow & { readonly clock: Date }): Promise<void> {
  const key = { merchantId: due.merchant_id, linkId: due.id };
  const link = await findLink(deps.db, key);
  if (link === null || link.status === 'active') return;
  const merchant = await deps.findMerchant(key.merchantId);
  const { state, phases } = closing[link.status];
  const { code, message } = refusalOf(state);
  const reason = { code, message };
  await closePayments(deps, { merchant, now: due.clock }, linkOwner(link.id), { phases, reason });
  if (link.status === 'completed') await cancelLostParts(deps, key, due.clock);
  await linkClosing.end(deps.db, due);
}

/** Cancels payments of a completed link that received only a part, and refunds that part. */
async function cancelLostParts(deps: PaymentDeps, key: LinkKey, now: Date): Promise<void> {
  const { merchantId } = key;
  const owner = { ...linkOwner(key.linkId), merchantId };
  for (;;) {
    const except = await findReservedPayments(deps.db, key);
    let ended = 0;
    await runEach(await findPartlyPaid(deps.db, owner, { except, limit: batch }), async paymentId => {
      if (await cancelLostPart(deps, { merchantId, paymentId }, now)) ended++;
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

/** Releases the reservation of a payer who left the bank's page or sent only a part. */
async function reviewReservation(deps: PaymentDeps, reservation: DueReservation): Promise<void> {
  const payment = await findPayment(deps.db, reservation);
  // The reservation is read after the payment. If it is still due, the payment has not changed since.
  if (payment === null || !(await isStillDue(deps.db, reservation))) return;
  if (!waitsForPayer(payment.phase)) {
    return await moveReservation(deps.db, reservation, addSeconds(reservation.clock, reviewSeconds));
  }
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

/** Whether the locked payment has changed since it was read. The end of its open attempt does not count as a change. */
async function hasMoved(tx: Tx, reservation: DueReservation, read: PaymentRow, found: PaymentRow): Promise<boolean> {
  if (found.phase !== 'partially_paid' || found.amount_received !== read.amount_received) return true;
  // The end of an attempt also moves the due time, so the numbers of declined attempts are compared instead.
  if (read.phase === 'requires_action') return found.declined_attempts !== read.declined_attempts;
  return !(await isStillDue(tx, reservation));
}

/** Refunds a payment that lost its use of the link. If the refund fails, the merchant decides about the money. */
async function refundLostMoney(deps: PaymentDeps, reservation: DueReservation): Promise<void> {
  try {
    await deps.db.transaction().execute(async tx => {
      const payment = await lockPayment(tx, reservation);
      if (payment.amount_suspense > 0n) {
        const request = { reason: 'paid_late' } as const;
        await startRefund(tx, deps, { payment, request, suspenseOnly: true, now: reservation.clock });
      }
      await moveReservation(tx, reservation, null);
    });
    deps.outbound.wake();
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    const payment = reservation.paymentId;
    deps.log.warn({ err: error, payment }, 'money of a used link could not be refunded automatically');
    await moveReservation(deps.db, reservation, null);
  }
}
