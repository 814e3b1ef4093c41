import { type Selectable, sql } from 'kysely';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { ApiKey } from './api-key.ts';
import { announceMerchant, findMerchant } from './merchant.store.ts';
import type { ApiKeysTable } from './tables.ts';

/** A key that may be used, with whose it is. */
export interface Credential {
  readonly key: ApiKey;
  readonly merchant: Merchant;
}

function keyFromRow(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    type: row.type,
    livemode: row.livemode,
    name: row.name,
    hint: row.hint,
    scopes: row.scopes,
    createdAt: row.created_at,
  };
}

/** The key with this hash and its merchant, or null when there is none or it was revoked. */
export async function findCredential(db: Executor, hash: Buffer): Promise<Credential | null> {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const merchant = await findMerchant(db, row.merchant_id);
  return merchant === null ? null : { key: keyFromRow(row), merchant };
}

/** Keeps a key. False when its hash is kept already, by whomever. */
export async function insertApiKey(tx: Tx, key: ApiKey, hash: Buffer): Promise<boolean> {
  const result = await tx
    .insertInto('api_keys')
    .values({
      id: key.id,
      merchant_id: key.merchantId,
      hash,
      type: key.type,
      livemode: key.livemode,
      name: key.name,
      hint: key.hint,
      scopes: [...key.scopes],
      created_at: key.createdAt,
      revoked_at: null,
    })
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** A page of the merchant's usable keys of a mode, newest first. */
export async function listApiKeys(
  db: Executor,
  scope: { readonly merchantId: string; readonly livemode: boolean },
  request: PageRequest,
): Promise<Page<ApiKey>> {
  const page = await readPage(db, { table: 'api_keys', ...scope }, request, { and: [sql`revoked_at is null`] });
  return { rows: page.rows.map(keyFromRow), hasMore: page.hasMore };
}

/** A usable key of the merchant and mode, or null. */
export async function findApiKey(
  db: Executor,
  target: { readonly merchantId: string; readonly livemode: boolean; readonly keyId: string },
): Promise<ApiKey | null> {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', target.keyId)
    .where('merchant_id', '=', target.merchantId)
    .where('livemode', '=', target.livemode)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : keyFromRow(row);
}

/** What became of a wish to revoke a key. */
export type Revocation = 'revoked' | 'missing' | 'last';

/**
 * Revokes a key, in every process at once. Both of two concurrent calls lock the merchant's keys of the mode first, so
 * one of them is refused as `last`.
 */
export async function revokeApiKey(
  tx: Tx,
  target: { readonly merchantId: string; readonly livemode: boolean; readonly keyId: string; readonly now: Date },
): Promise<Revocation> {
  const usable = await tx
    .selectFrom('api_keys')
    .select(['id', 'type'])
    .where('merchant_id', '=', target.merchantId)
    .where('livemode', '=', target.livemode)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  const key = usable.find(candidate => candidate.id === target.keyId);
  if (key === undefined) return 'missing';
  if (key.type === 'secret' && usable.filter(candidate => candidate.type === 'secret').length === 1) return 'last';
  await tx.updateTable('api_keys').set({ revoked_at: target.now }).where('id', '=', key.id).execute();
  await announceMerchant(tx, target.merchantId);
  return 'revoked';
}
