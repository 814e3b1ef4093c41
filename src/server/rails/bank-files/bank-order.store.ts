import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { anyRow, type Due } from '../../platform/db/lease.ts';
import { insertRows } from '../../platform/db/rows.ts';
import type { Erasure, KeptRecords } from '../../platform/erasure.ts';
import type { FileRailId } from './bank-file.ts';
import type { NewBankOrder } from './bank-order.ts';
import type { BankOrderRow } from './tables.ts';

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

/** Orders of a rail and currency that wait for a file. */
export interface WaitingOrders {
  readonly rail: FileRailId;
  readonly currency: string;
  readonly count: number;
  readonly oldest: Date;
}

export const waitingOrders = anyRow('bank_orders', sql`t.state = 'accepted'`);

/** Orders that count as paid at their date, because the bank reports only returns. */
export const settlingOrders: Due = now => sql`exists (
  select from bank_orders where state = 'filed' and settles_at <= ${now}::timestamptz)`;

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

export async function fileOrders(tx: Tx, rail: FileRailId, ids: readonly string[], fileId: string): Promise<void> {
  await sql`
    update bank_orders set state = 'filed', file_id = ${fileId}
    where rail = ${rail} and id = any(${ids}::text[]) and state = 'accepted'`.execute(tx);
}

/** Lets the orders of a file that the bank has complete at the moment, unless it reports something else. */
export async function settleOn(tx: Tx, fileId: string, at: Date): Promise<void> {
  await sql`update bank_orders set settles_at = ${at} where file_id = ${fileId} and state = 'filed'`.execute(tx);
}

/**
 * Completes filed orders whose `settles_at` has passed without another report of the bank. Orders of a file wait while
 * an answer about the file is put aside and not handled.
 */
export async function completeSettled(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update bank_orders o set state = 'completed', completed_by_date = true from (
      select rail, id from bank_orders d where state = 'filed' and settles_at <= ${now}
        and not exists (select from put_aside_answers a where a.handled_at is null and d.file_id = any(a.file_ids))
      order by settles_at limit ${limit} for update skip locked) due
    where o.rail = due.rail and o.id = due.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Forgets the accounts of a customer's refunds. The files that went to the bank are legal records and stay. */
export const bankOrderErasure: Erasure = {
  erase: async (tx, { merchantId }, ids) => {
    await sql`
      update bank_orders set destination = '{}', text = null
      where merchant_id = ${merchantId} and id = any (${ids})`.execute(tx);
  },
  kept: async (tx, { merchantId }, ids) => {
    const { rows } = await sql<KeptRecords>`
      select 'bank_file' as object, count(distinct file_id)::int as count from bank_orders
      where merchant_id = ${merchantId} and id = any (${ids})`.execute(tx);
    return rows;
  },
};
