import { type Selectable, sql } from 'kysely';
import type { PaymentKey } from '../payments/payment.store.ts';
import { ownerIdOf } from '../payments/payment-purpose.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../platform/db/lease.ts';
import { findRow } from '../platform/db/rows.ts';
import type { LinkKey } from './link.store.ts';
import type { ReservedUses } from './link.ts';
import type { PaymentLinkReservationsTable } from './tables.ts';

type ReservationRow = Selectable<PaymentLinkReservationsTable>;

/** The payment's reservation, or the record that the payment lost its use. Null if neither exists. */
export async function findReservation(db: Executor, key: PaymentKey): Promise<ReservationRow | null> {
  return await findRow(db, 'payment_link_reservations', { merchant_id: key.merchantId, payment_id: key.paymentId });
}

/** The number and sum of reservations on a link. Exact while the link is locked. */
export async function sumReserved(tx: Tx, key: LinkKey): Promise<ReservedUses> {
  const { count, amount } = await tx
    .selectFrom('payment_link_reservations')
    .select([sql<number>`count(*)::int4`.as('count'), sql<bigint>`coalesce(sum(amount), 0)::int8`.as('amount')])
    .where(eb => eb.and({ merchant_id: key.merchantId, link_id: key.linkId }))
    .where('state', '=', 'reserved')
    .executeTakeFirstOrThrow();
  return { count, amount };
}

/** Ids of the payments with a reservation on the link. */
export async function findReservedPayments(db: Executor, key: LinkKey): Promise<string[]> {
  const rows = await db
    .selectFrom('payment_link_reservations')
    .select('payment_id as paymentId')
    .where(eb => eb.and({ merchant_id: key.merchantId, link_id: key.linkId }))
    .where('state', '=', 'reserved')
    .execute();
  return rows.map(({ paymentId }) => paymentId);
}

/** Stores a reservation, or that the payment lost its use and needs a refund. The sweep reviews the row at `dueAt`. */
export async function saveReservation(
  tx: Tx,
  payment: PaymentRow,
  state: PaymentLinkReservationsTable['state'],
  times: { readonly reservedAt: Date | null; readonly dueAt: Date },
): Promise<void> {
  const set = { state, reserved_at: times.reservedAt, due_at: times.dueAt };
  await tx
    .insertInto('payment_link_reservations')
    .values({
      merchant_id: payment.merchant_id,
      payment_id: payment.id,
      link_id: ownerIdOf(payment),
      livemode: payment.livemode,
      amount: payment.amount,
      ...set,
    })
    .onConflict(conflict => conflict.columns(['merchant_id', 'payment_id']).doUpdateSet(set))
    .execute();
}

/** Sets the end of a reservation. */
export async function extendReservation(tx: Tx, key: PaymentKey, dueAt: Date): Promise<void> {
  await tx
    .updateTable('payment_link_reservations')
    .set({ due_at: dueAt })
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .where('state', '=', 'reserved')
    .execute();
}

/** Deletes the payment's reservation and returns it. Undefined if there is none. */
export async function endReservation(tx: Tx, key: PaymentKey) {
  return await tx
    .deleteFrom('payment_link_reservations')
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .where('state', '=', 'reserved')
    .returning(['link_id', 'reserved_at'])
    .executeTakeFirst();
}

/** Releases a reservation of an unpaid payment, and adds the reserved time to the link's unpaid time. */
export async function releaseReservation(tx: Tx, key: PaymentKey, now: Date): Promise<void> {
  const reservation = await endReservation(tx, key);
  const seconds = reservation?.reserved_at
    ? Math.round((now.getTime() - reservation.reserved_at.getTime()) / 1_000)
    : 0;
  if (reservation === undefined || seconds < 1) return;
  await tx
    .updateTable('payment_links')
    .set({ unpaid_reservation_seconds: sql<number>`least(unpaid_reservation_seconds + ${seconds}::int8, 1000000000)` })
    .where(eb => eb.and({ merchant_id: key.merchantId, id: reservation.link_id }))
    .execute();
}

export interface DueReservation extends PaymentKey {
  readonly livemode: boolean;
  readonly state: PaymentLinkReservationsTable['state'];
  readonly clock: Date;
  /** The end of the lease. If the row's due time differs, the payment has changed or another worker has the row. */
  readonly leasedUntil: Date;
}

export const dueReservations: DueWork = {
  table: 'payment_link_reservations',
  key: ['merchant_id', 'payment_id'],
  dueAt: 'due_at',
  clock: 'merchant',
  where: sql`t.due_at is not null`,
};
const leaseSeconds = 60;

export async function claimDueReservations(db: Db, now: Date, limit: number): Promise<DueReservation[]> {
  const rows = await claimDue<ReservationRow>(db, dueReservations, { now, limit, leaseSeconds });
  return rows.flatMap(
    ({ merchant_id: merchantId, payment_id: paymentId, livemode, state, clock, due_at: leasedUntil }) =>
      leasedUntil === null ? [] : [{ merchantId, paymentId, livemode, state, clock, leasedUntil }],
  );
}

/** Whether the reservation has not changed since it was claimed. */
export async function isStillDue(db: Executor, reservation: DueReservation): Promise<boolean> {
  const found = await findReservation(db, reservation);
  return found?.due_at?.getTime() === reservation.leasedUntil.getTime();
}

/**
 * Sets the time of the next review. Null: no review. Does nothing if the reservation has changed since it was claimed.
 */
export async function moveReservation(db: Executor, reservation: DueReservation, nextAt: Date | null): Promise<void> {
  const { merchantId, paymentId, leasedUntil } = reservation;
  const claimed = { merchant_id: merchantId, payment_id: paymentId, due_at: leasedUntil };
  await moveDue(db, dueReservations, claimed, { to: nextAt });
}
