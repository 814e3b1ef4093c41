import { addSeconds } from '../../core/clock.ts';
import type { PaymentKey } from '../payments/payment.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { ownerIdOf } from '../payments/payment-purpose.ts';
import type { Tx } from '../platform/db/database.ts';
import { findLink, type LinkKey, lockLink } from './link.store.ts';
import { hasRoom, type LinkRow, reservedUntil } from './link.ts';
import type { NoRoom } from './link-refusal.ts';
import {
  extendReservation,
  findReservation,
  releaseReservation,
  saveReservation,
  sumReserved,
} from './link-reservation.store.ts';

/** Seconds until a reservation is reviewed whose money is on its way through a bank or a chain. */
export const reviewSeconds = 900;

/** The link that the payment was made for. */
export function linkOf(payment: PaymentRow): LinkKey {
  return { merchantId: payment.merchant_id, linkId: ownerIdOf(payment) };
}

/** The key of the payment. */
export function paymentOf({ merchant_id: merchantId, id: paymentId }: PaymentRow): PaymentKey {
  return { merchantId, paymentId };
}

/**
 * Reserves a use of the link for the payment, once. Returns null when the payment has one or the link is unlimited,
 * else why no use is left. The lock on the link's row serializes reservations.
 */
export async function reserve(tx: Tx, payment: PaymentRow, now: Date): Promise<NoRoom | null> {
  const key = linkOf(payment);
  const known = await findLink(tx, key);
  // The number of uses never changes, so an unlimited link need not be locked.
  if (known === null || known.max_uses === null) return null;
  // A reservation changes only with its payment, which is locked.
  if (await isReserved(tx, payment)) return null;
  const link = await lockLink(tx, key);
  const why = await whyNoRoom(tx, link, payment);
  if (why === null)
    await saveReservation(tx, payment, 'reserved', { reservedAt: now, dueAt: addSeconds(now, reviewSeconds) });
  return why;
}

/** Whether the payment has a reservation. */
export async function isReserved(tx: Tx, payment: PaymentRow): Promise<boolean> {
  return (await findReservation(tx, paymentOf(payment)))?.state === 'reserved';
}

/**
 * Extends the reservation of a payer who is in 3-D Secure or paid a part. After too long without a payment it is
 * released; the payer can still pay while no other payer takes the use.
 */
export async function keepReservation(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const reservation = await findReservation(tx, paymentOf(payment));
  const link = reservation?.state === 'reserved' ? await findLink(tx, linkOf(payment)) : null;
  if (reservation === null || link === null) return;
  const until = reservedUntil(link, reservation.reserved_at, now);
  if (until === null) await releaseReservation(tx, paymentOf(payment), now);
  else await extendReservation(tx, paymentOf(payment), until);
}

/** Why the link has no use for the payment now; null when it has one. */
export async function whyNoRoom(tx: Tx, link: LinkRow, payment: PaymentRow): Promise<NoRoom | null> {
  const key = linkOf(payment);
  if (hasRoom(link, await sumReserved(tx, key), payment.amount)) return null;
  const isFree = (amount: bigint) => hasRoom(link, { count: 0, amount: 0n }, amount);
  if (!isFree(1n)) return 'paid';
  return isFree(payment.amount) ? 'reserved' : 'short';
}
