import { type Generated, type Selectable, sql } from 'kysely';
import type { Metadata } from '../../../api/schema.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { findRow } from '../../platform/db/rows.ts';
import type { Json, Moment } from '../../platform/db/tables.ts';
import type { MerchantScope } from '../../platform/merchant.ts';

interface TopUpsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  currency: string;
  rail: string;
  reference: string | null;
  account: string | null;
  tag: string | null;
  amount: bigint | null;
  amount_received: bigint;
  status: 'awaiting_funds' | 'received';
  metadata: Json<Metadata>;
  event_sequence: Generated<number>;
  created_at: Moment;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    top_ups: TopUpsTable;
  }
}

export type TopUpRow = Selectable<TopUpsTable>;

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
