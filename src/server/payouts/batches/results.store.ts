import { sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';

/** Up to `limit` payouts of a batch after a position, in the order of its rows. With `status`, only that status. */
export async function findPayoutsAfter(
  db: Executor,
  { merchant_id: merchantId, id }: Pick<BatchRow, 'merchant_id' | 'id'>,
  { position, status }: { readonly position: number; readonly status: PayoutRow['status'] | null },
  limit: number,
): Promise<readonly PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    select * from payouts where merchant_id = ${merchantId} and batch_id = ${id} and position > ${position}
      and (${status}::text is null or status = ${status})
    order by position limit ${limit}`.execute(db);
  return rows;
}
