import { sql } from 'kysely';
import { newId } from '../../../core/id.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { anyRow, type Due } from '../../platform/db/lease.ts';
import { insertRows } from '../../platform/db/rows.ts';
import type { PayoutRail, PayoutReturn } from '../../rails/rail.ts';
import type { ReturnRow } from '../tables.ts';

/** The cursor up to which a rail's returns were read. Null before the first reading. */
export async function readReturnCursor(db: Executor, rail: string): Promise<string | null> {
  const row = await db.selectFrom('payout_return_cursors').select('cursor').where('rail', '=', rail).executeTakeFirst();
  return row?.cursor ?? null;
}

/** A page of a rail's list of returns. */
interface ReturnPage {
  readonly rail: string;
  readonly from: string | null;
  readonly returns: readonly PayoutReturn[];
  readonly cursor: string | null;
  readonly now: Date;
}

/** Stores a page and the next cursor in one transaction. Stores nothing if another server has stored this page. */
export async function keepReturns(db: Db, { rail, from, returns, cursor, now }: ReturnPage): Promise<void> {
  await db.transaction().execute(async tx => {
    const { numAffectedRows } = await sql`
      insert into payout_return_cursors as kept (rail, cursor) values (${rail}, ${cursor})
      on conflict (rail) do update set cursor = excluded.cursor where kept.cursor is not distinct from ${from}`.execute(
      tx,
    );
    if (numAffectedRows === 0n) return;
    const rows = returns.map(one => ({
      merchant_id: one.merchantId,
      id: newId('payoutReturn'),
      rail,
      order_id: one.orderId,
      amount: one.amount,
      code: one.code,
      message: one.message,
      created_at: now,
    }));
    await insertRows(tx, 'payout_returns', rows);
  });
}

/** Returns in the rails' own tables after the cursors of `readReturnCursor`. */
export function unreadReturns(rails: readonly PayoutRail[]): Due[] {
  return rails.flatMap(({ id, returnsTable }) => {
    if (returnsTable === undefined) return [];
    const cursor = sql`select cursor::bigint from payout_return_cursors where rail = ${id}`;
    return () => sql`exists (
      select from ${sql.table(returnsTable)} where rail = ${id} and position > coalesce((${cursor}), 0))`;
  });
}

export const openReturns = anyRow('payout_returns', sql`not t.booked`);

/** Unbooked returns, oldest first. */
export async function findOpenReturns(db: Executor, limit: number): Promise<ReturnRow[]> {
  return await db
    .selectFrom('payout_returns')
    .selectAll()
    .where('booked', '=', false)
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

/** Locks the merchant's unbooked returns with these ids until the transaction ends. */
export async function lockReturns(tx: Tx, merchantId: string, ids: readonly string[]): Promise<ReturnRow[]> {
  const { rows } = await sql<ReturnRow>`
    select * from payout_returns where merchant_id = ${merchantId} and id = any (${[...ids]}::text[]) and not booked
    order by id for update`.execute(tx);
  return rows;
}

export async function markReturns(tx: Tx, merchantId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update payout_returns set booked = true
    where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])`.execute(tx);
}

/** The sum of booked returns of each order, in the unit that its recipient received. */
export async function returnedSums(
  db: Executor,
  merchantId: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql<{ order_id: string; amount: bigint }>`
    select order_id, sum(amount) as amount from payout_returns
    where merchant_id = ${merchantId} and order_id = any (${[...orderIds]}::text[]) and booked
    group by order_id`.execute(db);
  return new Map(rows.map(row => [row.order_id, row.amount]));
}
