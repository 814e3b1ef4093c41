import { type RawBuilder, sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { insertRows, rowSource } from '../../platform/db/rows.ts';
import type { FeedPage } from '../rail.ts';
import type { FileRailId } from './bank-file.ts';
import { bankOrderMachine, type NewBankOrder } from './bank-order.ts';
import type { BankOrderRow, BankOrderState } from './tables.ts';

/** Stores orders. Does not change an order that is already stored. */
export async function insertBankOrders(db: Db, rows: readonly NewBankOrder[]): Promise<void> {
  await insertRows(db, 'bank_orders', rows, ['rail', 'id']);
}

/** The orders with these ids, in any order. */
export async function findBankOrders(
  db: Executor,
  rail: FileRailId,
  ids: readonly string[],
): Promise<readonly BankOrderRow[]> {
  const { rows } = await sql<BankOrderRow>`
    select * from bank_orders where rail = ${rail} and id = any(${ids}::text[])`.execute(db);
  return rows;
}

/** Returned orders after a position, oldest first. */
export async function returnsAfter(
  db: Db,
  rail: FileRailId,
  { position, limit }: FeedPage,
): Promise<readonly BankOrderRow[]> {
  const { rows } = await sql<BankOrderRow>`
    select * from bank_orders where rail = ${rail} and return_position > ${position}
    order by return_position limit ${limit}`.execute(db);
  return rows;
}

/** Orders of a rail and currency that wait for a file. */
export interface WaitingOrders {
  readonly rail: FileRailId;
  readonly currency: string;
  readonly count: number;
  readonly oldest: Date;
}

/** Waiting orders, grouped by rail and currency. */
export async function findWaiting(db: Db): Promise<readonly WaitingOrders[]> {
  const { rows } = await sql<WaitingOrders>`
    select rail, currency, count(*)::int as count, min(created_at) as oldest from bank_orders
    where state = 'accepted' group by rail, currency`.execute(db);
  return rows;
}

/** Locks waiting orders, oldest first. Skips orders that another server has locked. */
export async function lockWaiting(
  tx: Tx,
  { rail, currency }: WaitingOrders,
  limit: number,
): Promise<readonly BankOrderRow[]> {
  const { rows } = await sql<BankOrderRow>`
    select * from bank_orders where rail = ${rail} and currency = ${currency} and state = 'accepted'
    order by created_at, id limit ${limit} for update skip locked`.execute(tx);
  return rows;
}

export async function fileOrders(
  tx: Tx,
  rail: FileRailId,
  ids: readonly string[],
  file: { readonly id: string; readonly settlesAt: Date | null },
): Promise<void> {
  await sql`
    update bank_orders set state = 'filed', file_id = ${file.id}, settles_at = ${file.settlesAt}::timestamptz
    where rail = ${rail} and id = any(${ids}::text[]) and state = 'accepted'`.execute(tx);
}

export interface OrderReport {
  readonly reference: string;
  /** Null: the bank's report names no file. */
  readonly file_id: string | null;
  /** Returned amount. Null: the whole amount. */
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly message: string | null;
}

const reportTypes = { reference: 'text', file_id: 'text', amount: 'int8', code: 'text', message: 'text' };

/** SQL that joins orders `o` to their reports `n`. Only joins orders whose state is in `from`. */
function reported(rails: readonly FileRailId[], reports: readonly OrderReport[], from: readonly BankOrderState[]) {
  return sql`from ${rowSource(reportTypes, reports)} as n
    where o.rail = any(${rails}::text[]) and o.reference = n.reference
      and (n.file_id is null or o.file_id = n.file_id) and o.state = any(${from}::text[])`;
}

/** Completes or fails filed orders as the bank reported. Returns their number. */
export async function endOrders(
  tx: Tx,
  to: 'completed' | 'failed',
  rails: readonly FileRailId[],
  reports: readonly OrderReport[],
): Promise<number> {
  if (reports.length === 0) return 0;
  const reason = to === 'failed' ? sql`, failure_code = n.code, failure_message = n.message` : sql``;
  return await countOf(
    tx,
    sql`update bank_orders o set state = ${to} ${reason} ${reported(rails, reports, bankOrderMachine.sourcesOf(to))}`,
  );
}

/**
 * Books returned money. If the bank returned the whole amount of a filed order, the order fails. Any other order
 * becomes a return, with the next position of its rail. Returns the number of orders.
 */
export async function returnOrders(
  tx: Tx,
  rails: readonly FileRailId[],
  reports: readonly OrderReport[],
): Promise<number> {
  if (reports.length === 0) return 0;
  const failed = await countOf(
    tx,
    sql`update bank_orders o set state = 'failed', failure_code = n.code, failure_message = n.message
      ${reported(rails, reports, ['filed'])} and coalesce(n.amount, o.amount) >= o.amount`,
  );
  const { rows } = await sql<{ rail: FileRailId; id: string }>`
    update bank_orders o set state = 'returned', failure_code = n.code, failure_message = n.message,
      returned_amount = least(coalesce(n.amount, o.amount), o.amount)
    ${reported(rails, reports, bankOrderMachine.sourcesOf('returned'))} and coalesce(n.amount, 1) > 0
    returning o.rail, o.id`.execute(tx);
  for (const [rail, orders] of Map.groupBy(rows, row => row.rail)) {
    await numberReturns(
      tx,
      rail,
      orders.map(({ id }) => id),
    );
  }
  return failed + rows.length;
}

async function numberReturns(tx: Tx, rail: FileRailId, ids: readonly string[]): Promise<void> {
  await sql`
    with last as (
      insert into bank_return_positions (rail, position) values (${rail}, ${ids.length})
      on conflict (rail) do update set position = bank_return_positions.position + excluded.position
      returning position
    )
    update bank_orders o set return_position = last.position - ${ids.length} + n.place
    from last, unnest(${ids}::text[]) with ordinality as n (id, place)
    where o.rail = ${rail} and o.id = n.id`.execute(tx);
}

/** Completes or fails all filed orders of a file, except those with a reference in `except`. Returns their number. */
export async function endFile(
  tx: Tx,
  to: 'completed' | 'failed',
  fileId: string,
  except: readonly string[],
  reason: { readonly code: string; readonly message: string },
): Promise<number> {
  const { code, message } = to === 'failed' ? reason : { code: null, message: null };
  return await countOf(
    tx,
    sql`update bank_orders set state = ${to}, failure_code = ${code}::text, failure_message = ${message}::text
      where file_id = ${fileId} and state = 'filed' and not reference = any(${except}::text[])`,
  );
}

/**
 * Sets the time when accepted orders complete, unless the bank reports something else before. Null `references`: all
 * orders of the file.
 */
export async function settleLater(
  tx: Tx,
  fileId: string,
  references: readonly string[] | null,
  settlesAt: Date,
): Promise<void> {
  await sql`
    update bank_orders set settles_at = ${settlesAt}::timestamptz
    where file_id = ${fileId} and state = 'filed' and settles_at is null
      and (${references}::text[] is null or reference = any(${references}::text[]))`.execute(tx);
}

/** Completes filed orders whose `settles_at` has passed without another report of the bank. */
export async function completeSettled(db: Db, now: Date, limit: number): Promise<number> {
  return await countOf(
    db,
    sql`update bank_orders o set state = 'completed' from (
        select rail, id from bank_orders where state = 'filed' and settles_at <= ${now}
        order by settles_at limit ${limit} for update skip locked) due
      where o.rail = due.rail and o.id = due.id`,
  );
}

async function countOf(db: Executor, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0n);
}
