import { type Selectable, sql } from 'kysely';
import { apiVersion } from '../../api/event.ts';
import { idPrefixes, newId, randomText } from '../../core/id.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { Credential } from '../platform/http/access/auth.ts';
import type { ApiKeyType } from '../platform/http/access/caller.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { hashKey } from '../platform/secrets.ts';
import { announceMerchant, findMerchant } from './merchant.store.ts';
import type { ApiKeysTable } from './tables.ts';

/** A stored key. It contains the hash of the key's text, not the text. */
export type ApiKeyRow = Readonly<Selectable<ApiKeysTable>>;

/** The text of a new key, for example `sk_test_…`. Its 32 base62 characters are 190 random bits. */
export function newKeyText(type: ApiKeyType, livemode: boolean): string {
  return `${type === 'secret' ? 'sk' : 'pk'}_${livemode ? 'live' : 'test'}_${randomText(32)}`;
}

export function newApiKey(
  text: string,
  key: Pick<ApiKeyRow, 'merchant_id' | 'type' | 'livemode' | 'name' | 'scopes' | 'created_at'> & Partial<ApiKeyRow>,
): ApiKeyRow {
  const prefix = /^[sp]k_(?:test|live)_/.exec(text)?.[0] ?? '';
  const hint = `${prefix}…${text.slice(-4)}`;
  const made = { id: newId('apiKey'), hash: hashKey(text), hint, api_version: apiVersion, revoked_at: null };
  return { created_by: null, ...key, ...made };
}

export async function insertApiKey(tx: Tx, key: ApiKeyRow): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values(key)
    .onConflict(conflict => conflict.column('hash').doNothing())
    .execute();
}

/** The key with this hash, and its merchant. Null for an unknown or revoked key. */
export async function findCredential(db: Executor, hash: Buffer): Promise<Credential | null> {
  const key = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  const merchant = key && (await findMerchant(db, key.merchant_id));
  return merchant ? { key, merchant } : null;
}

/** A page of the unrevoked keys, newest first. */
export async function listApiKeys(db: Executor, scope: MerchantScope, request: PageRequest): Promise<Page<ApiKeyRow>> {
  return await readPage(db, { table: 'api_keys', ...scope }, request, { and: [sql`revoked_at is null`] });
}

function usableKeys(db: Executor, { merchantId, livemode }: MerchantScope) {
  return db
    .selectFrom('api_keys')
    .where(eb => eb.and({ merchant_id: merchantId, livemode }))
    .where('revoked_at', 'is', null);
}

export async function findApiKey(db: Executor, scope: MerchantScope, keyId: string): Promise<ApiKeyRow | null> {
  return (await usableKeys(db, scope).selectAll().where('id', '=', keyId).executeTakeFirst()) ?? null;
}

/**
 * The person behind a caller's id: the person itself, or the person who made the key, also a revoked one. Null: the
 * machine or an owner made the key.
 */
export async function personBehind(db: Executor, merchantId: string, callerId: string | null): Promise<string | null> {
  if (callerId === null || callerId.startsWith(`${idPrefixes.person}_`)) return callerId;
  const key = await db
    .selectFrom('api_keys')
    .select('created_by')
    .where(eb => eb.and({ id: callerId, merchant_id: merchantId }))
    .executeTakeFirst();
  return key?.created_by ?? null;
}

export async function hasApiKeys(db: Executor, scope: MerchantScope): Promise<boolean> {
  return (await usableKeys(db, scope).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Revokes a key and notifies all processes. Refuses the mode's last secret key (`last`). Locks the keys, so that two
 * calls cannot revoke the last two.
 */
export async function revokeApiKey(
  tx: Tx,
  scope: MerchantScope,
  keyId: string,
  now: Date,
): Promise<'revoked' | 'missing' | 'last'> {
  const usable = await usableKeys(tx, scope).select(['id', 'type']).orderBy('id').forUpdate().execute();
  const key = usable.find(({ id }) => id === keyId);
  if (key === undefined) return 'missing';
  if (key.type === 'secret' && usable.filter(({ type }) => type === 'secret').length === 1) return 'last';
  await tx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', key.id).execute();
  await announceMerchant(tx, scope.merchantId);
  return 'revoked';
}
