import { sql } from 'kysely';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { findRow } from '../platform/db/rows.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { TopUpRow } from './tables.ts';

/** The merchant's top-up in the mode, or null. */
export async function findTopUp(db: Executor, scope: MerchantScope, id: string): Promise<TopUpRow | null> {
  return await findRow(db, 'top_ups', { merchant_id: scope.merchantId, livemode: scope.livemode, id });
}

/** Locks the top-up until the transaction ends. Null for an unknown id. */
export async function lockTopUp(tx: Tx, merchantId: string, id: string): Promise<TopUpRow | null> {
  return await findRow(tx, 'top_ups', { merchant_id: merchantId, id }, 'lock');
}

/** The id of the merchant's top-up with one of these bank references, or null. */
export async function findTopUpByReference(
  tx: Tx,
  merchantId: string,
  rail: string,
  references: readonly string[],
): Promise<string | null> {
  if (references.length === 0) return null;
  const row = await tx
    .selectFrom('top_ups')
    .select('id')
    .where(eb => eb.and({ merchant_id: merchantId, rail }))
    .where(sql<boolean>`reference = any (${[...references]}::text[])`)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function listTopUps(db: Executor, scope: MerchantScope, request: PageRequest): Promise<Page<TopUpRow>> {
  return await readPage(db, { table: 'top_ups', ...scope }, request);
}
