import { sql } from 'kysely';
import type { SettlementStatus } from '../../../api/settlement.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type DueRequest, type DueWork, findDue } from '../../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { findRow, insertRows } from '../../platform/db/rows.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { SettlementRow } from './tables.ts';

/** Settlements to close, and ended ones whose payments are not all marked. */
export const dueSettlements: DueWork = {
  table: 'settlements',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: sql`t.due_at is not null`,
  clock: 'merchant',
};

/** A due settlement, and the current time on its merchant's clock. */
interface DueSettlement extends Pick<SettlementRow, 'merchant_id' | 'id'> {
  readonly clock: Date;
}

/** Finds due settlements. The work locks each and checks it again. `except`: ids of settlements to skip. */
export async function findDueSettlements(
  db: Executor,
  { except, ...request }: DueRequest & { readonly except: readonly string[] },
): Promise<readonly DueSettlement[]> {
  const work = { ...dueSettlements, where: sql`${dueSettlements.where} and t.id <> all (${[...except]}::text[])` };
  return await findDue<DueSettlement>(db, work, request, sql`t.merchant_id, t.id`);
}

/** Locks the merchant's open settlement in the currency until the transaction ends, or null. */
export async function lockOpen(
  tx: Tx,
  { merchantId, livemode }: MerchantScope,
  currency: string,
): Promise<SettlementRow | null> {
  const key = { merchant_id: merchantId, livemode, currency, status: 'open' as const };
  return await findRow(tx, 'settlements', key, 'lock');
}

/** Locks all open settlements of the merchant, of both modes, until the transaction ends. */
export async function lockAllOpen(tx: Tx, merchantId: string): Promise<SettlementRow[]> {
  const query = sql<SettlementRow>`
    select * from settlements where merchant_id = ${merchantId} and status = 'open' order by id for update`;
  return (await executePrepared(tx, query)).rows;
}

/** Locks settlements of a merchant until the transaction ends, in a fixed order. */
export async function lockSettlements(tx: Tx, merchantId: string, ids: readonly string[]): Promise<SettlementRow[]> {
  const query = sql<SettlementRow>`
    select * from settlements where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])
    order by id for update`;
  return (await executePrepared(tx, query)).rows;
}

export async function insertSettlements(tx: Tx, rows: readonly SettlementRow[]): Promise<void> {
  await insertRows(tx, 'settlements', rows);
}

/** The merchant's settlement in the mode, or null. */
export async function findSettlement(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  id: string,
): Promise<SettlementRow | null> {
  return await findRow(db, 'settlements', { merchant_id: merchantId, livemode, id });
}

/** When the open ones among these settlements of a merchant are paid out next, by id. */
export async function findOpenTimes(
  db: Executor,
  merchantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date | null>> {
  const query = sql<Pick<SettlementRow, 'id' | 'scheduled_at'>>`
    select id, scheduled_at from settlements
    where merchant_id = ${merchantId} and id = any (${[...ids]}::text[]) and status = 'open'`;
  const { rows } = await executePrepared(db, query);
  return new Map(rows.map(({ id, scheduled_at: at }) => [id, at]));
}

export interface SettlementFilters {
  readonly status?: SettlementStatus | undefined;
  readonly currency?: string | undefined;
}

export async function listSettlements(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
  equal: SettlementFilters,
): Promise<Page<SettlementRow>> {
  return await readPage(db, { table: 'settlements', ...scope }, request, { equal: { ...equal } });
}
