import { type Selectable, sql } from 'kysely';
import { newId, randomText } from '../../core/id.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { Credential } from '../platform/http/access/auth.ts';
import type { ApiKeyType } from '../platform/http/access/caller.ts';
import { hashKey } from '../platform/secrets.ts';
import { announceMerchant, findMerchant } from './merchant.store.ts';
import type { ApiKeysTable } from './tables.ts';

/** A key as the database knows it: its hash, never its text. */
export type ApiKeyRow = Readonly<Selectable<ApiKeysTable>>;

/** The text of a new key, such as `sk_test_…`. 32 base62 characters are 190 random bits. */
export function newKeyText(type: ApiKeyType, livemode: boolean): string {
  return `${type === 'secret' ? 'sk' : 'pk'}_${livemode ? 'live' : 'test'}_${randomText(32)}`;
}

/** The row of a new key with this text. */
export function newApiKey(
  text: string,
  key: Pick<ApiKeyRow, 'merchant_id' | 'type' | 'livemode' | 'name' | 'scopes' | 'created_at'>,
): ApiKeyRow {
  const prefix = /^[sp]k_(?:test|live)_/.exec(text)?.[0] ?? '';
  return { ...key, id: newId('apiKey'), hash: hashKey(text), hint: `${prefix}…${text.slice(-4)}`, revoked_at: null };
}

export async function insertApiKey(tx: Tx, key: ApiKeyRow): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values(key)
    .onConflict(conflict => conflict.column('hash').doNothing())
    .execute();
}

/** The key with this hash and its merchant, or null when there is none or it was revoked. */
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

/** The keys of a merchant in one mode. */
interface KeyOwner {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** A page of the usable keys, newest first. */
export async function listApiKeys(db: Executor, scope: KeyOwner, request: PageRequest): Promise<Page<ApiKeyRow>> {
  return await readPage(db, { table: 'api_keys', ...scope }, request, { and: [sql`revoked_at is null`] });
}

function usableKeys(db: Executor, { merchantId, livemode }: KeyOwner) {
  return db
    .selectFrom('api_keys')
    .where(eb => eb.and({ merchant_id: merchantId, livemode }))
    .where('revoked_at', 'is', null);
}

export async function findApiKey(db: Executor, scope: KeyOwner, keyId: string): Promise<ApiKeyRow | null> {
  return (await usableKeys(db, scope).selectAll().where('id', '=', keyId).executeTakeFirst()) ?? null;
}

export async function hasApiKeys(db: Executor, scope: KeyOwner): Promise<boolean> {
  return (await usableKeys(db, scope).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Revokes a key in every process. It locks all keys of the mode, so the last secret key is never revoked. */
export async function revokeApiKey(
  tx: Tx,
  scope: KeyOwner,
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
