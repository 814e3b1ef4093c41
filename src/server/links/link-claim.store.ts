import { type Selectable, sql } from 'kysely';
import type { PaymentKey } from '../payments/payment.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { ownerIdOf } from '../payments/payment-purpose.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../platform/db/lease.ts';
import type { LinkKey } from './link.store.ts';
import type { HeldPlaces } from './link.ts';
import type { PaymentLinkClaimsTable } from './tables.ts';

/** A payment's place on its link, as the database holds it. */
export type ClaimRow = Selectable<PaymentLinkClaimsTable>;

/** What is known of a payment's place; null when it neither has nor has lost one. */
export async function findClaim(db: Executor, key: PaymentKey): Promise<ClaimRow | null> {
  const row = await db
    .selectFrom('payment_link_claims')
    .selectAll()
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .executeTakeFirst();
  return row ?? null;
}

/** The places that are held on a link. Exact while the transaction holds the link locked. */
export async function heldPlaces(tx: Tx, key: LinkKey): Promise<HeldPlaces> {
  const { count, amount } = await tx
    .selectFrom('payment_link_claims')
    .select([sql<number>`count(*)::int4`.as('count'), sql<bigint>`coalesce(sum(amount), 0)::int8`.as('amount')])
    .where('merchant_id', '=', key.merchantId)
    .where('link_id', '=', key.linkId)
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow();
  return { count, amount };
}

/** Ids of the payments that hold a place on the link. */
export async function findHolders(db: Executor, key: LinkKey): Promise<string[]> {
  const rows = await db
    .selectFrom('payment_link_claims')
    .select('payment_id as paymentId')
    .where('merchant_id', '=', key.merchantId)
    .where('link_id', '=', key.linkId)
    .where('state', '=', 'held')
    .execute();
  return rows.map(({ paymentId }) => paymentId);
}

/** Notes a place as held, or as lost when money came for it that is to go back; the sweep looks at it at `dueAt`. */
export async function saveClaim(
  tx: Tx,
  payment: PaymentRow,
  state: PaymentLinkClaimsTable['state'],
  times: { readonly heldAt: Date | null; readonly dueAt: Date },
): Promise<void> {
  const set = { state, held_at: times.heldAt, due_at: times.dueAt };
  await tx
    .insertInto('payment_link_claims')
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

/** Says until when the payer of a held place is waited for. */
export async function holdUntil(tx: Tx, key: PaymentKey, dueAt: Date): Promise<void> {
  await tx
    .updateTable('payment_link_claims')
    .set({ due_at: dueAt })
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .where('state', '=', 'held')
    .execute();
}

/** Gives a held place up, because the payment has completed. */
export async function releaseClaim(tx: Tx, key: PaymentKey): Promise<void> {
  await deleteHeld(tx, key);
}

/** Gives a held place up whose payer did not pay; the link remembers for how long it was held. */
export async function giveUpClaim(tx: Tx, key: PaymentKey, now: Date): Promise<void> {
  const claim = await deleteHeld(tx, key);
  const seconds = claim?.held_at ? Math.round((now.getTime() - claim.held_at.getTime()) / 1_000) : 0;
  if (claim === undefined || seconds < 1) return;
  await tx
    .updateTable('payment_links')
    .set({ held_in_vain: sql<number>`least(held_in_vain + ${seconds}::int8, 1000000000)` })
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', claim.link_id)
    .execute();
}

async function deleteHeld(tx: Tx, key: PaymentKey) {
  return await tx
    .deleteFrom('payment_link_claims')
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .where('state', '=', 'held')
    .returning(['link_id', 'held_at'])
    .executeTakeFirst();
}

/** A claim whose turn it is. */
export interface DueClaim extends PaymentKey {
  readonly livemode: boolean;
  readonly state: PaymentLinkClaimsTable['state'];
  readonly clock: Date;
  /** When its turn comes again, unless something is done about it. */
  readonly leasedUntil: Date;
}

const dueClaims: DueWork = {
  ...{ table: 'payment_link_claims', key: ['merchant_id', 'payment_id'], dueAt: 'due_at', clock: 'merchant' },
  where: sql`t.due_at is not null`,
};
const leaseSeconds = 60;

/** Takes claims whose turn it is. */
export async function claimDueClaims(db: Db, now: Date, limit: number): Promise<DueClaim[]> {
  const rows = await claimDue<Selectable<PaymentLinkClaimsTable>>(db, dueClaims, { now, limit, leaseSeconds });
  return rows.flatMap(
    ({ merchant_id: merchantId, payment_id: paymentId, livemode, state, clock, due_at: leasedUntil }) =>
      leasedUntil === null ? [] : [{ merchantId, paymentId, livemode, state, clock, leasedUntil }],
  );
}

/** Whether nothing has happened about the claim since it was taken. */
export async function isStillDue(db: Executor, claim: DueClaim): Promise<boolean> {
  const found = await findClaim(db, claim);
  return found?.due_at?.getTime() === claim.leasedUntil.getTime();
}

/** Says when the claim has its next turn; null: never. One about which something happened since it was taken keeps its turn. */
export async function settleClaim(db: Executor, claim: DueClaim, nextAt: Date | null): Promise<void> {
  const { merchantId, paymentId, leasedUntil } = claim;
  await moveDue(db, dueClaims, { merchant_id: merchantId, payment_id: paymentId, due_at: leasedUntil }, { to: nextAt });
}
