import { sql } from 'kysely';
import type { PaymentPhase } from '../../api/payment.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../platform/db/lease.ts';
import type { Tables } from '../platform/db/tables.ts';
import type { PaymentKey } from './payment.store.ts';
import { ownerIdOf, type PaymentOwner } from './payment-purpose.ts';
import type { PaymentRow } from './tables.ts';

/** An owner of payments (a link or an invoice), and its merchant. */
export interface OwnerKey extends PaymentOwner {
  readonly merchantId: string;
}

/** The owner's pending payments, oldest first. */
export async function findOpenPayments(db: Executor, owner: OwnerKey): Promise<PaymentRow[]> {
  return await ownedBy(db, owner).selectAll().where('status', '=', 'pending').orderBy('created_at').execute();
}

/** Ids of the owner's pending payments in these phases, oldest first. */
export async function findPendingIn(db: Executor, owner: OwnerKey, phases: readonly PaymentPhase[], limit: number) {
  const rows = await ownedBy(db, owner)
    .select('id')
    .where('status', '=', 'pending')
    .where('phase', 'in', [...phases])
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Ids of the owner's partly paid payments, without the ids in `except`. */
export async function findPartlyPaid(
  db: Executor,
  owner: OwnerKey,
  { except, limit }: { readonly except: readonly string[]; readonly limit: number },
): Promise<string[]> {
  const rows = await ownedBy(db, owner)
    .select('id')
    .where('phase', '=', 'partially_paid')
    .where('id', 'not in', except.length === 0 ? [''] : except)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The number of the owner's payments with this payer and amount (minor units), in all phases. */
export async function countPaymentsLike(
  db: Executor,
  owner: OwnerKey,
  { email, amount }: { readonly email: string; readonly amount: bigint },
): Promise<number> {
  const { count } = await ownedBy(db, owner)
    .select(query => query.fn.countAll<bigint>().as('count'))
    .where(eb => eb.and({ customer_email: email, amount }))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * The received amount (minor units) of the owner's completed payments, minus suspense and refunds. Disputes do not
 * reduce it. Omits the payment `except`.
 */
export async function sumKept(db: Executor, owner: OwnerKey, except: string): Promise<bigint> {
  const sum = sql<bigint>`coalesce(sum(amount_received - amount_suspense - amount_refunded - amount_refunding), 0)::int8`;
  const { kept } = await ownedBy(db, owner)
    .select(sum.as('kept'))
    .where('completed_at', 'is not', null)
    .where('id', '<>', except)
    .executeTakeFirstOrThrow();
  return kept;
}

/**
 * The amount received by this payment and by later completed payments of its owner, in minor units. It excludes
 * suspense and refunds from suspense. Refunds of counted money do not reduce it.
 */
export async function sumCountedSince(db: Executor, payment: PaymentRow): Promise<bigint> {
  const sum = sql<bigint>`coalesce(sum(amount_received - amount_suspense - ${refundedFromSuspense}), 0)::int8`;
  const { counted } = await ownedBy(db, ownerOf(payment))
    .select(sum.as('counted'))
    .where(eb => eb.or([eb('id', '=', payment.id), eb('completed_at', '>', payment.completed_at)]))
    .executeTakeFirstOrThrow();
  return counted;
}

/** Refunds from a payment's suspense that were sent or are being sent. A failed refund's money is in suspense again. */
const refundedFromSuspense = sql<bigint>`coalesce((
  select sum(greatest(refunds.amount_from_suspense - coalesce((
    select sum(amount) from refund_parts
    where merchant_id = refunds.merchant_id and refund_id = refunds.id and state = 'failed'), 0), 0))
  from refunds where merchant_id = payments.merchant_id and payment_id = payments.id), 0)`;

/** Owner type and currency of the payments that have an owner. */
export async function findOwned(db: Executor, keys: readonly PaymentKey[]) {
  const { rows } = await sql<PaymentKey & { readonly type: string; readonly currency: string }>`
    select p.merchant_id as "merchantId", p.id as "paymentId", p.owner_type as type, p.currency
    from unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ paymentId }) => paymentId)}::text[])
      as k (merchant_id, payment_id)
    join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id and p.owner_type is not null`.execute(db);
  return rows;
}

/** The owner of a payment. The payment must have an owner. */
export function ownerOf(payment: PaymentRow): OwnerKey {
  return { merchantId: payment.merchant_id, type: payment.owner_type ?? '', id: ownerIdOf(payment) };
}

function ownedBy(db: Executor | Db, { merchantId, type, id }: OwnerKey) {
  return db
    .selectFrom('payments')
    .where(eb => eb.and({ merchant_id: merchantId, owner_type: type }))
    .where('owner_id', '=', id);
}

/**
 * Schedules the end of the open payments of closed owners. The due time is the column `closing_at` of the owners'
 * table. `Row` is a row of that table.
 */
export function closingOf<Row>(table: keyof Tables) {
  const where = sql`t.closing_at is not null`;
  const work: DueWork = { table, key: ['merchant_id', 'id'], dueAt: 'closing_at', clock: 'merchant', where };
  return {
    due: work,
    claim: (db: Db, now: Date, limit: number) => claimDue<Row>(db, work, { now, limit, leaseSeconds: 30 }),
    /** Schedules the closing of a locked owner's payments. */
    schedule: async (tx: Tx, merchantId: string, id: string, at: Date): Promise<void> => {
      await sql`update ${sql.table(table)} set closing_at = ${at}
        where merchant_id = ${merchantId} and id = ${id}`.execute(tx);
    },
    /** Ends a claim. Keeps the due time if the owner was scheduled again after the claim. */
    end: (db: Db, claimed: object) => moveDue(db, work, claimed, { to: null }),
  };
}
