import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork } from '../../platform/db/lease.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { insertRows } from '../../platform/db/rows.ts';
import type { OverdueWork } from '../../platform/overdue.ts';
import type { Converted } from './conversion.ts';
import type { ConversionRow } from './tables.ts';

/** Conversions to plan. */
export const dueConversions: DueWork = {
  table: 'settlement_conversions',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: sql`t.due_at is not null`,
  clock: 'merchant',
};

/** A due conversion, and the current time on its merchant's clock. */
export type DueConversion = ConversionRow & { readonly clock: Date };

/** Claims due conversions. */
export async function claimConversions(
  db: Db,
  request: DueRequest & { readonly leaseSeconds: number },
): Promise<readonly DueConversion[]> {
  return await claimDue<ConversionRow>(db, dueConversions, request);
}

/** What was or will be converted of these payments, by payment. */
export async function findConverted(
  db: Executor,
  merchantId: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Converted[]>> {
  const query = sql<Converted & Pick<ConversionRow, 'payment_id'>>`
    select payment_id, source_asset, value from settlement_conversions
    where merchant_id = ${merchantId} and payment_id = any (${[...paymentIds]}::text[])`;
  return Map.groupBy((await executePrepared(db, query)).rows, row => row.payment_id);
}

export async function insertConversions(tx: Tx, rows: readonly ConversionRow[]): Promise<void> {
  await insertRows(tx, 'settlement_conversions', rows);
}

/** Locks conversions of a merchant until the transaction ends, in a fixed order. */
export async function lockConversions(tx: Tx, merchantId: string, ids: readonly string[]): Promise<ConversionRow[]> {
  const query = sql<ConversionRow>`
    select * from settlement_conversions where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])
    order by id for update`;
  return (await executePrepared(tx, query)).rows;
}

/** Conversions that have failed at least once and are not completed, by reason. */
export interface TroubledConversions {
  readonly reason: string;
  readonly count: number;
  /** How many of them are not tried again. */
  readonly ended: number;
}

export async function countTroubled(db: Executor): Promise<readonly TroubledConversions[]> {
  const query = sql<TroubledConversions>`
    select failure_code as reason, count(*)::int as count, (count(*) filter (where status = 'failed'))::int as ended
    from settlement_conversions where failure_code is not null and status <> 'completed'
    group by 1 order by 1`;
  return (await executePrepared(db, query)).rows;
}

/** Conversions that are due and were not tried. Omits those due only on a test clock. */
export async function findOverdueConversions(db: Executor, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(due_at) as since
    from settlement_conversions where due_at is not null and due_at <= ${now}`.execute(db);
  return rows;
}
