import { addSeconds } from '../../core/clock.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { keyOf } from '../payments/payment.store.ts';
import type { Tolerance } from '../payments/payment.ts';
import { sumCountedSince } from '../payments/payment-owner.store.ts';
import { isAtRest, ownerIdOf, type PaymentPurpose } from '../payments/payment-purpose.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { findByPlainName } from '../platform/db/plain-name.ts';
import { toleranceOf } from '../platform/merchant.ts';
import { changeLink, closeAgain, findLink, type LinkKey, lockLink } from './link.store.ts';
import {
  begunUse,
  closedError,
  countedBy,
  hasRoom,
  isFull,
  type KeptMoney,
  keptBy,
  type LinkRow,
  linkUsed,
  type NoRoom,
  needsReservation,
  noRoomForMoney,
  refusalOf,
  reservedByOther,
  reservedUntil,
  stateOf,
  tooLate,
  waitsForPayer,
} from './link.ts';
import type { LinkViewContext } from './link.view.ts';
import {
  endReservation,
  extendReservation,
  findReservation,
  releaseReservation,
  saveReservation,
  sumReserved,
} from './link-reservation.store.ts';

/** Seconds between two reviews of a reservation while the payment's money is in transit. */
export const reviewSeconds = 900;

/**
 * The rules for payments of a link. If the link's uses are limited, a payment reserves a use when its money is in
 * transit. A failed attempt releases the use, and a completed payment takes it. Without a free use, money is refused.
 */
export function createLinkPurpose(context: LinkViewContext): PaymentPurpose {
  return {
    type: 'payment_link',
    wireFields: linkId => ({ payment_link: linkId }),
    assertMayPay: async (tx, { payment, now }, request) => {
      if (request === 'first') await assertOpen(tx, payment, now);
    },
    followAttempt: async (tx, { before, payment, now }) => {
      if (needsReservation(payment.phase)) await holdReservation(tx, before, payment, now);
      else await releaseReservation(tx, keyOf(payment), now);
      await recordLostMoney(tx, before, payment, now);
    },
    attemptEnded: async (tx, { payment, now }) => {
      if (!(await isReserved(tx, payment))) await closeAgain(tx, linkOf(payment), now);
    },
    refuseMoney: async (tx, payment, now) => {
      const why = await reserve(tx, payment, now);
      return why === null ? null : noRoomForMoney(why);
    },
    countMoney: async (tx, { before, payment, now }) => {
      const { currency } = payment;
      const money = { amount: keptBy(before, payment), currency, isFirst: before.completed_at === null };
      if (money.isFirst || money.amount > 0n) await countMoney(tx, context, payment, money, now);
    },
    findNamed: (db, scope, names) => findByPlainName(db, { table: 'payment_links', column: 'reference' }, scope, names),
    endedError: closedError,
    findSuccessMessage,
  };
}

/** The link that the payment pays. */
export function linkOf(payment: PaymentRow): LinkKey {
  return { merchantId: payment.merchant_id, linkId: ownerIdOf(payment) };
}

/** The merchant's message for payers. On a link paid in parts, a payer sees it only after the use is complete. */
async function findSuccessMessage(db: Db, payment: PaymentRow): Promise<string | null> {
  const link = await findLink(db, linkOf(payment));
  if (link === null || link.success_message === null) return null;
  const begun = begunUse(link);
  return begun === 0n || (await sumCountedSince(db, payment)) > begun ? link.success_message : null;
}

/** Throws if a new payer cannot pay: the link is not open on the merchant's clock, or has no free use. */
async function assertOpen(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const link = await findLink(tx, linkOf(payment));
  if (link === null) return;
  const state = stateOf(link, now);
  if (state === 'used') throw tooLate('paid');
  if (state !== 'open') throw refusalOf(state);
  const why = await whyNoRoom(tx, link, payment);
  if (why !== null && !(await isReserved(tx, payment))) throw tooLate(why);
}

/** Reserves a use for a payment attempt. A running attempt continues without a use, and `refuseMoney` decides later. */
async function holdReservation(tx: Tx, before: PaymentRow, payment: PaymentRow, now: Date): Promise<void> {
  if (waitsForPayer(payment.phase)) return await keepReservation(tx, payment, now);
  if (before.phase === payment.phase && before.amount_received === payment.amount_received) return;
  const why = await reserve(tx, payment, now);
  if (why !== null && isAtRest(before.phase)) throw tooLate(why);
}

/**
 * Reserves a use of the link for the payment, once. Returns null if the payment has a use, or if the link is unlimited.
 * Otherwise returns why no use is free. The lock on the link's row serializes reservations.
 */
async function reserve(tx: Tx, payment: PaymentRow, now: Date): Promise<NoRoom | null> {
  const key = linkOf(payment);
  const known = await findLink(tx, key);
  // The number of uses never changes, so an unlimited link needs no lock.
  if (known === null || known.max_uses === null) return null;
  // Every transaction that changes the payment's reservation locks the payment, so this answer stays true.
  if (await isReserved(tx, payment)) return null;
  const why = await whyNoRoom(tx, await lockLink(tx, key), payment);
  if (why !== null) return why;
  await saveReservation(tx, payment, 'reserved', { reservedAt: now, dueAt: addSeconds(now, reviewSeconds) });
  return null;
}

export async function isReserved(tx: Tx, payment: PaymentRow): Promise<boolean> {
  return (await findReservation(tx, keyOf(payment)))?.state === 'reserved';
}

/**
 * Extends the reservation of a payer who is in 3-D Secure or has paid a part. Releases the reservation after too long a
 * time without a payment. The payer can still pay while a use is free.
 */
async function keepReservation(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const key = keyOf(payment);
  const reservation = await findReservation(tx, key);
  const link = reservation?.state === 'reserved' ? await findLink(tx, linkOf(payment)) : null;
  if (reservation === null || link === null) return;
  const until = reservedUntil(link, reservation.reserved_at, now);
  if (until === null) await releaseReservation(tx, key, now);
  else await extendReservation(tx, key, until);
}

/** Why no use of the link is free for the payment now, or null if one is free. */
async function whyNoRoom(tx: Tx, link: LinkRow, payment: PaymentRow): Promise<NoRoom | null> {
  if (hasRoom(link, await sumReserved(tx, linkOf(payment)), payment.amount)) return null;
  const isFree = (amount: bigint) => hasRoom(link, { count: 0, amount: 0n }, amount);
  if (!isFree(1n)) return 'paid';
  return isFree(payment.amount) ? 'reserved' : 'short';
}

/** Counts received money on the link. Taking the last use completes the link. */
async function countMoney(
  tx: Tx,
  context: LinkViewContext,
  payment: PaymentRow,
  money: KeptMoney,
  now: Date,
): Promise<void> {
  const link = await lockLink(tx, linkOf(payment));
  if (money.isFirst) await useReservation(tx, link, payment);
  const counted = countedBy(link, money, await toleranceFor(tx, link));
  const completes = isFull(link, counted.uses) && link.status !== 'completed';
  await changeLink(tx, context, link, {
    ...(completes && { to: 'completed' }),
    set: { ...counted, unpaid_reservation_seconds: 0, ...(completes && { completed_at: now, closing_at: now }) },
    events: [
      money.isFirst ? 'payment_link.paid' : 'payment_link.updated',
      ...(completes ? ['payment_link.completed' as const] : []),
    ],
    now,
  });
}

/**
 * Takes the payment's use of the link. Late money accepted by the merchant may have no reservation. Such money must not
 * take a use that another payer has reserved.
 */
async function useReservation(tx: Tx, link: LinkRow, payment: PaymentRow): Promise<void> {
  if (link.max_uses === null) return;
  const isFree = link.allow_partial || isFull(link, link.uses) || (await isReserved(tx, payment));
  if (!isFree && (await whyNoRoom(tx, link, payment)) !== null) throw reservedByOther();
  await endReservation(tx, keyOf(payment));
}

async function toleranceFor(tx: Tx, { merchant_id: merchantId }: LinkRow): Promise<Tolerance> {
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === null) throw new Error(`merchant ${merchantId} does not exist`);
  return toleranceOf(merchant);
}

/** Schedules a refund for a payment that received money without a use of the link. A failed refund is not repeated. */
async function recordLostMoney(tx: Tx, before: PaymentRow, payment: PaymentRow, now: Date): Promise<void> {
  const hasNewMoney = before.failure_code !== linkUsed || payment.amount_received > before.amount_received;
  if (payment.failure_code !== linkUsed || !hasNewMoney || payment.amount_suspense === 0n) return;
  await saveReservation(tx, payment, 'lost', { reservedAt: null, dueAt: now });
}
