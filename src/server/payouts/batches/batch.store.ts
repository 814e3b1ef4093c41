import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type DueRequest, type DueWork, findDue } from '../../platform/db/lease.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';

/** Locks the payouts of a batch until the transaction ends, in a fixed order. */
export async function lockBatchPayouts(tx: Tx, merchantId: string, batchId: string): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    select * from payouts where merchant_id = ${merchantId} and batch_id = ${batchId} order by id for update`.execute(
    tx,
  );
  return rows;
}

export const dueBatches: DueWork = {
  table: 'payout_batches',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: sql`t.due_at is not null and t.status = 'scheduled'`,
  clock: 'merchant',
};

/** A due batch, and the current time on its merchant's clock. */
export interface DueBatch {
  readonly merchant_id: string;
  readonly id: string;
  readonly isRecurring: boolean;
  readonly clock: Date;
}

/** Batches that must start, and recurring batches with a due run. */
export async function findDueBatches(db: Executor, request: DueRequest): Promise<readonly DueBatch[]> {
  return await findDue<DueBatch>(
    db,
    dueBatches,
    request,
    sql`t.merchant_id, t.id, t.next_run_at is not null as "isRecurring"`,
  );
}

/** The given batches that wait for an approval or for their time. Their payouts must not be sent yet. */
export async function findWaitingBatches(
  db: Executor,
  merchantId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from payout_batches where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])
      and status in ('awaiting_approval', 'scheduled')`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The time of the latest run that a recurring batch has created. Null without runs. */
export async function lastOccurrence(
  db: Executor,
  { merchant_id: merchantId, id }: Pick<BatchRow, 'merchant_id' | 'id'>,
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(occurrence_at) as at from payout_batches
    where merchant_id = ${merchantId} and recurring_batch = ${id}`.execute(db);
  return rows[0]?.at ?? null;
}
