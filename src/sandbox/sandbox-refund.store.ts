import { type Insertable, type Selectable, sql } from 'kysely';
import type { SendOrder } from '../server/rails/rail.ts';
import type { SandboxDb, SandboxRefundsTable } from './sandbox-tables.ts';

export type SandboxRefundRow = Selectable<SandboxRefundsTable>;

/** The refund or payment of the order, or null. */
export async function findRefund(db: SandboxDb, rail: string, orderId: string): Promise<SandboxRefundRow | null> {
  const query = db.selectFrom('sandbox.refunds').selectAll().where('rail', '=', rail).where('refund_id', '=', orderId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Sum of the original's refunds that succeeded or are pending, in minor units. */
export async function refundedSum(tx: SandboxDb, rail: string, order: SendOrder): Promise<bigint> {
  const { sum } = await tx
    .selectFrom('sandbox.refunds')
    .select(sql<bigint>`coalesce(sum(amount), 0)`.as('sum'))
    .where('rail', '=', rail)
    .where('merchant_id', '=', order.merchantId)
    .where('original_reference', '=', order.original)
    .where(row => row.or([row('outcome', '=', 'completed'), row('settles_at', '>', order.now)]))
    .executeTakeFirstOrThrow();
  return sum;
}

/** Stores a refund unless it is stored already. */
export async function insertRefund(tx: SandboxDb, row: Insertable<SandboxRefundsTable>): Promise<void> {
  await tx
    .insertInto('sandbox.refunds')
    .values(row)
    .onConflict(conflict => conflict.columns(['rail', 'refund_id']).doNothing())
    .execute();
}
