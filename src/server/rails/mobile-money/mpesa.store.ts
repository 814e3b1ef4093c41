import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { OrderKey } from './connector.ts';
import type { MpesaOrderRow } from './tables.ts';

/** The final outcome in M-Pesa's transaction status. */
export type MpesaVerdict =
  | { readonly state: 'completed'; readonly receipt: string | null }
  | { readonly state: 'failed'; readonly code: string; readonly message: string };

/** Stores an order before it is sent. Returns false if it is already stored and must not be sent again. */
export async function insertMpesaOrder(
  db: Db,
  order: OrderKey & { readonly reference: string; readonly amount: bigint; readonly now: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('mpesa_orders')
    .values({
      merchant_id: order.merchantId,
      order_id: order.orderId,
      reference: order.reference,
      amount: order.amount,
      // The first status request waits as long as later requests, because a new order takes some seconds.
      asked_at: order.now,
      created_at: order.now,
    })
    .onConflict(conflict => conflict.columns(['merchant_id', 'order_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Deletes an order that M-Pesa certainly did not receive, so that it can be sent again. */
export async function deleteUnsentOrder(db: Db, { merchantId, orderId }: OrderKey): Promise<void> {
  const key = { merchant_id: merchantId, order_id: orderId, state: 'sent' } as const;
  await db
    .deleteFrom('mpesa_orders')
    .where(eb => eb.and(key))
    .execute();
}

/** Records that M-Pesa accepted the order. Does not change a decided order. */
export async function acceptMpesaOrder(db: Db, { merchantId, orderId }: OrderKey, conversationId: string | null) {
  await db
    .updateTable('mpesa_orders')
    .set({ state: 'accepted', conversation_id: conversationId })
    .where(eb => eb.and({ merchant_id: merchantId, order_id: orderId, state: 'sent' }))
    .execute();
}

/** The stored orders with these ids, in any order. */
export async function findMpesaOrders(db: Db, orderIds: readonly string[]): Promise<MpesaOrderRow[]> {
  if (orderIds.length === 0) return [];
  return await db
    .selectFrom('mpesa_orders')
    .selectAll()
    .where('order_id', 'in', [...orderIds])
    .execute();
}

/** Whether to request the order's status now. One caller gets true; all others get false for `pauseSeconds`. */
export async function claimQuestion(db: Db, row: MpesaOrderRow, now: Date, pauseSeconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mpesa_orders set asked_at = ${now}
    where merchant_id = ${row.merchant_id} and order_id = ${row.order_id} and state in ('sent', 'accepted')
      and (asked_at is null or asked_at <= ${now}::timestamptz - ${pauseSeconds} * interval '1 second')`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Makes the status request due at once. Also stores the code that a callback reports, for a failure's reason. */
export async function makeQuestionDue(
  db: Db,
  { merchantId, orderId }: OrderKey,
  reportedCode: string | null = null,
): Promise<void> {
  await sql`
    update mpesa_orders set asked_at = null, reported_code = coalesce(${reportedCode}::text, reported_code)
    where merchant_id = ${merchantId} and order_id = ${orderId} and state in ('sent', 'accepted')`.execute(db);
}

/** Decides an open order. Does not change a decided order. */
export async function decideMpesaOrder(db: Db, { merchantId, orderId }: OrderKey, verdict: MpesaVerdict) {
  const set =
    verdict.state === 'completed'
      ? { state: verdict.state, receipt: verdict.receipt }
      : { state: verdict.state, failure_code: verdict.code, failure_message: verdict.message };
  await db
    .updateTable('mpesa_orders')
    .set(set)
    .where(eb => eb.and({ merchant_id: merchantId, order_id: orderId }))
    .where('state', 'in', ['sent', 'accepted'])
    .execute();
}
