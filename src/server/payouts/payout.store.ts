import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type ClaimRequest, claimDue, type DueWork } from '../platform/db/lease.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import type { OverdueWork } from '../platform/overdue.ts';
import { treasuryShortHold } from './payout.ts';
import type { StatusCounts } from './payout.view.ts';
import type { BatchRow, PayoutRow } from './tables.ts';

/** A payout, and the current time on its merchant's clock. */
export type ClockedPayout = PayoutRow & { readonly clock: Date };

/** Payouts to plan: queued payouts, and payouts that wait for money of the treasury. */
const toPlan = sql`t.due_at is not null and (t.status = 'queued' or t.hold_code = ${treasuryShortHold})`;

export const duePayouts: DueWork = {
  table: 'payouts',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: toPlan,
  clock: 'merchant',
};

export async function claimDuePayouts(
  db: Db,
  request: Pick<ClaimRequest, 'now' | 'limit' | 'leaseSeconds'>,
): Promise<readonly ClockedPayout[]> {
  return await claimDue<PayoutRow>(db, duePayouts, request);
}

/** Payouts that should have been sent 15 minutes ago, and were not planned since, or wait for money of the treasury. */
export async function findOverduePayouts(db: Db, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(since) as since from (
      select greatest(created_at, scheduled_at) as since from payouts t where ${toPlan}
    ) waiting where since <= ${now}::timestamptz - interval '15 minutes'`.execute(db);
  return rows;
}

/** Locks payouts of a merchant until the transaction ends, in a fixed order. */
export async function lockPayouts(tx: Tx, merchantId: string, ids: readonly string[]): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    select * from payouts where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])
    order by id for update`.execute(tx);
  return rows;
}

/** A payout of a settlement, as the settlement's history shows it. */
export type PayoutOfSettlement = Pick<
  PayoutRow,
  'id' | 'settlement_id' | 'status' | 'amount' | 'failure_code' | 'failure_message' | 'created_at' | 'completed_at'
>;

/** All payouts of these settlements of a merchant, newest first. */
export async function findPayoutsOf(
  db: Executor,
  merchantId: string,
  settlementIds: readonly string[],
): Promise<readonly PayoutOfSettlement[]> {
  const query = sql<PayoutOfSettlement>`
    select id, settlement_id, status, amount, failure_code, failure_message, created_at, completed_at from payouts
    where merchant_id = ${merchantId} and settlement_id = any (${[...settlementIds]}::text[])
    order by created_at desc, id desc`;
  return (await executePrepared(db, query)).rows;
}

/** Locks batches of a merchant until the transaction ends, in a fixed order. */
export async function lockBatches(tx: Tx, merchantId: string, ids: readonly string[]): Promise<BatchRow[]> {
  const { rows } = await sql<BatchRow>`
    select * from payout_batches where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])
    order by id for update`.execute(tx);
  return rows;
}

/** Number of payouts in each status, by batch. */
export async function countStatuses(
  db: Executor,
  merchantId: string,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, StatusCounts>> {
  const { rows } = await sql<{ batch_id: string; status: PayoutRow['status']; count: number }>`
    select batch_id, status, count(*)::int as count from payouts
    where merchant_id = ${merchantId} and batch_id = any (${[...batchIds]}::text[])
    group by batch_id, status`.execute(db);
  const groups = Map.groupBy(rows, row => row.batch_id);
  return new Map(
    [...groups].map(([id, some]) => [id, Object.fromEntries(some.map(({ status, count }) => [status, count]))]),
  );
}

/** The currencies and assets that a payout converts between. */
export type PayoutUnits = Pick<PayoutRow, 'currency' | 'source_currency' | 'unit'>;

/** The distinct units of a batch's payouts. */
export async function findUnits(db: Executor, merchantId: string, batchId: string): Promise<PayoutUnits[]> {
  return await db
    .selectFrom('payouts')
    .select(['currency', 'source_currency', 'unit'])
    .distinct()
    .where('merchant_id', '=', merchantId)
    .where('batch_id', '=', batchId)
    .execute();
}
