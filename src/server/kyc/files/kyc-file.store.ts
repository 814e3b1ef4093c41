import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { findRow, insertRows } from '../../platform/db/rows.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { KycFileRow } from '../tables.ts';

/** A file without its content. */
export type KycFileHead = Omit<KycFileRow, 'sealed' | 'key_id'>;

/** The customer's files, by the names of their fields. */
export async function listFiles(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  customerId: string,
): Promise<readonly KycFileHead[]> {
  return await db
    .selectFrom('kyc_files')
    .select(['merchant_id', 'id', 'livemode', 'customer_id', 'field', 'type', 'size', 'sha256', 'created_at'])
    .where('merchant_id', '=', merchantId)
    .where('customer_id', '=', customerId)
    .where('livemode', '=', livemode)
    .orderBy('field')
    .execute();
}

/** The customer's file with this id, or null. */
export async function findFile(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  customerId: string,
  id: string,
): Promise<KycFileRow | null> {
  return await findRow(db, 'kyc_files', { merchant_id: merchantId, id, livemode, customer_id: customerId });
}

/** Inserts files of a customer. */
export async function insertFiles(tx: Tx, files: readonly KycFileRow[]): Promise<void> {
  if (files.length > 0) await insertRows(tx, 'kyc_files', files);
}

/** Deletes the customer's files of these fields. Null: all files. */
export async function deleteFiles(
  tx: Tx,
  merchantId: string,
  customerId: string,
  fields: readonly string[] | null,
): Promise<void> {
  await sql`
    delete from kyc_files where merchant_id = ${merchantId} and customer_id = ${customerId}
    and (${fields}::text[] is null or field = any (${fields}))`.execute(tx);
}
