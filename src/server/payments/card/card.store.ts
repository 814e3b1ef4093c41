import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../../platform/db/lease.ts';
import type { DisputesTable, PaymentAttemptsTable } from '../tables.ts';

/** A row of `payment_attempts`: one attempt to charge a card. */
export type AttemptRow = Selectable<PaymentAttemptsTable>;

const openStates = ['started', 'requires_action', 'authorized', 'capturing', 'unknown'] as const;

/** The open attempt of the payment, or null. A payment has at most one. */
export async function findOpenAttempt(db: Executor, merchantId: string, paymentId: string): Promise<AttemptRow | null> {
  const row = await db
    .selectFrom('payment_attempts')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, payment_id: paymentId }))
    .where('state', 'in', [...openStates])
    .executeTakeFirst();
  return row ?? null;
}

/** The open attempt, else the captured one, else the newest one. Null if there is none. */
export async function findLastAttempt(db: Executor, merchantId: string, paymentId: string): Promise<AttemptRow | null> {
  const row = await db
    .selectFrom('payment_attempts')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, payment_id: paymentId }))
    .orderBy(sql`case when state in (${sql.join(openStates)}) then 0 when state = 'captured' then 1 else 2 end`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Inserts an attempt. The database rejects a second open attempt of the payment. */
export async function insertAttempt(tx: Tx, row: AttemptRow): Promise<void> {
  await tx.insertInto('payment_attempts').values(row).execute();
}

/** Changes an open attempt. A capture also changes an ended attempt. Returns false if nothing changed. */
export async function updateAttempt(
  tx: Tx,
  attempt: Pick<AttemptRow, 'merchant_id' | 'payment_id' | 'id'>,
  set: Updateable<PaymentAttemptsTable> & Pick<AttemptRow, 'state'>,
): Promise<boolean> {
  const changeable = set.state === 'captured' ? [...openStates, 'declined' as const, 'abandoned' as const] : openStates;
  const row = await tx
    .updateTable('payment_attempts')
    .set(set)
    .where(eb => eb.and({ merchant_id: attempt.merchant_id, payment_id: attempt.payment_id, id: attempt.id }))
    .where('state', 'in', [...changeable])
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes the authorized attempt of a payment due, so that its card is released. */
export async function makeReleaseDue(
  tx: Tx,
  { merchant_id, id: payment_id }: { readonly merchant_id: string; readonly id: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('payment_attempts')
    .set({ due_at: now })
    .where(eb => eb.and({ merchant_id, payment_id, state: 'authorized' }))
    .execute();
}

const dueAttempts: DueWork = {
  ...{ table: 'payment_attempts', key: ['merchant_id', 'payment_id', 'id'], dueAt: 'due_at', clock: 'merchant' },
  where: sql`t.due_at is not null`,
};

/** Claims attempts with unknown outcome, to query the rail. */
export async function claimDueAttempts(db: Db, now: Date, limit: number) {
  return await claimDue<AttemptRow>(db, dueAttempts, { now, limit, leaseSeconds: 30 });
}

/** Changes the due time of a claimed attempt. Null ends the queries. */
export async function moveAttempt(db: Db, attempt: AttemptRow, to: Date | null): Promise<void> {
  await moveDue(db, dueAttempts, attempt, { to });
}

/** Inserts a dispute. Returns false if the rail has reported it before. */
export async function insertDispute(tx: Tx, dispute: Insertable<DisputesTable>): Promise<boolean> {
  const row = await tx
    .insertInto('disputes')
    .values(dispute)
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The sum of a payment's disputes, in minor units. */
export async function disputedAmount(tx: Tx, merchantId: string, paymentId: string): Promise<bigint> {
  return (await disputedAmounts(tx, merchantId, [paymentId])).get(paymentId) ?? 0n;
}

/** The sums of disputes of a merchant's payments, by payment id, in minor units. */
export async function disputedAmounts(tx: Tx, merchantId: string, paymentIds: readonly string[]) {
  const rows = await tx
    .selectFrom('disputes')
    .select(['payment_id', sql<bigint>`sum(amount)::bigint`.as('sum')])
    .where('merchant_id', '=', merchantId)
    .where('payment_id', 'in', [...paymentIds])
    .groupBy('payment_id')
    .execute();
  return new Map(rows.map(row => [row.payment_id, row.sum]));
}
