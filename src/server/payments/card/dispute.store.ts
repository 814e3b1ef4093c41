import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

/** A dispute to be kept. Amount in minor units. */
export interface NewDispute {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string;
  readonly railReference: string;
  readonly now: Date;
}

/** Writes a dispute; false when the rail reported it before. */
export async function insertDispute(tx: Tx, dispute: NewDispute): Promise<boolean> {
  const row = await tx
    .insertInto('disputes')
    .values({
      merchant_id: dispute.merchantId,
      id: dispute.id,
      payment_id: dispute.paymentId,
      amount: dispute.amount,
      currency: dispute.currency,
      reason: dispute.reason,
      rail_reference: dispute.railReference,
      created_at: dispute.now,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** What of a payment the rail took back by disputes, in minor units. */
export async function disputedAmount(tx: Tx, merchantId: string, paymentId: string): Promise<bigint> {
  const { sum } = await tx
    .selectFrom('disputes')
    .select(sql<bigint>`coalesce(sum(amount), 0)`.as('sum'))
    .where('merchant_id', '=', merchantId)
    .where('payment_id', '=', paymentId)
    .executeTakeFirstOrThrow();
  return sum;
}
