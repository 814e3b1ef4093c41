import { type Selectable, sql } from 'kysely';
import type { FeedPage } from '../server/rails/rail.ts';
import type { MobileTransfersTable, SandboxDb } from './sandbox-tables.ts';

export type MobileTransferRow = Selectable<MobileTransfersTable>;

/** Stores transfers. Ignores a transfer whose payout order already has a transfer. */
export async function insertMobileTransfers(db: SandboxDb, rows: readonly MobileTransferRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('sandbox.mobile_transfers')
    .values(rows)
    .onConflict(conflict => conflict.columns(['rail', 'order_id']).doNothing())
    .execute();
}

/** The transfers of these payout orders, unsorted. */
export async function findMobileTransfers(
  db: SandboxDb,
  rail: string,
  orderIds: readonly string[],
): Promise<MobileTransferRow[]> {
  if (orderIds.length === 0) return [];
  return await db
    .selectFrom('sandbox.mobile_transfers')
    .selectAll()
    .where('rail', '=', rail)
    .where('order_id', 'in', [...orderIds])
    .execute();
}

/**
 * Books returned money at the next position of the rail's list, once for each payout order. Locks the list's counter
 * until the commit, so readers see positions in order.
 */
export async function insertMobileReturn(db: SandboxDb, row: MobileTransferRow): Promise<void> {
  await sql`
    with next as (
      insert into sandbox.bank_feeds (rail, position) values (${row.rail}, 1)
      on conflict (rail) do update set position = bank_feeds.position + 1
      returning position
    )
    insert into sandbox.mobile_returns (rail, position, order_id, amount)
    select ${row.rail}, position, ${row.order_id}, ${row.amount}::bigint from next
    on conflict (rail, order_id) do nothing`.execute(db);
}

/** Returned money of the rail after a position, oldest first. */
export async function mobileReturnsAfter(db: SandboxDb, rail: string, { position, limit }: FeedPage) {
  return await db
    .selectFrom('sandbox.mobile_returns as r')
    .innerJoin('sandbox.mobile_transfers as t', join =>
      join.onRef('t.rail', '=', 'r.rail').onRef('t.order_id', '=', 'r.order_id'),
    )
    .selectAll('r')
    .select('t.merchant_id')
    .where('r.rail', '=', rail)
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit)
    .execute();
}
