import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/rows.ts';
import type { FeedPage } from '../../rail.ts';
import type { FileRailId } from '../bank-file.ts';
import type { BankReturnRow } from '../tables.ts';

/** Returns of a rail after a position, oldest first, with the merchants of their orders. */
export async function returnsAfter(
  db: Db,
  rail: FileRailId,
  { position, limit }: FeedPage,
): Promise<readonly (BankReturnRow & { readonly merchant_id: string })[]> {
  const { rows } = await sql<BankReturnRow & { readonly merchant_id: string }>`
    select r.*, o.merchant_id from bank_returns r join bank_orders o on o.rail = r.rail and o.id = r.order_id
    where r.rail = ${rail} and r.position > ${position} order by r.position limit ${limit}`.execute(db);
  return rows;
}

/** All returns of the orders. */
export async function findReturns(db: Executor, orderIds: readonly string[]): Promise<readonly BankReturnRow[]> {
  if (orderIds.length === 0) return [];
  const { rows } = await sql<BankReturnRow>`
    select * from bank_returns where (rail, order_id) in (
      select rail, id from bank_orders where id = any(${orderIds}::text[]) and returned_amount is not null
      union all select rail, id from bank_orders where id = any(${orderIds}::text[]) and state = 'failed')`.execute(db);
  return rows;
}

/** A return to store. `changesPayout`: it goes to the payout, in the feed of its rail. */
export type NewBankReturn = Omit<BankReturnRow, 'position'> & { readonly changesPayout: boolean };

/** Stores returns. Those with news get the next positions of their rail. */
export async function insertReturns(tx: Tx, returns: readonly NewBankReturn[]): Promise<void> {
  for (const [rail, group] of Map.groupBy(returns, row => row.rail)) {
    const news = group.filter(({ changesPayout }) => changesPayout);
    const first = news.length === 0 ? 0n : await takePositions(tx, rail, news.length);
    let position = first;
    const rows = group.map(({ changesPayout, ...row }) => ({ ...row, position: changesPayout ? position++ : null }));
    await insertRows(tx, 'bank_returns', rows);
  }
}

/** Takes positions of the rail, and returns the first. Locks the rail's row until the commit. */
async function takePositions(tx: Tx, rail: FileRailId, count: number): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`
    insert into bank_return_positions (rail, position) values (${rail}, ${count})
    on conflict (rail) do update set position = bank_return_positions.position + excluded.position
    returning position`.execute(tx);
  return (rows[0]?.position ?? 0n) - BigInt(count) + 1n;
}
