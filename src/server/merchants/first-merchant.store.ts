import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import type { Db } from '../platform/db/database.ts';
import type { ApiKeyType } from '../platform/http/access/caller.ts';
import type { MadeKeys, TestKeys } from '../platform/pages/welcome.ts';
import { hashKey, type Secrets } from '../platform/secrets.ts';
import { findCredential, hasApiKeys, insertApiKey, newApiKey, newKeyText } from './api-key.store.ts';
import { findFirstMerchant, insertMerchant } from './merchant.store.ts';

/** Dependencies for creating the first merchant. Keys are null if they are not configured. */
export interface FirstMerchantDeps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'testKey'>;
  readonly clock: Clock;
  /** Whether the server accepts real money. If it does, the created keys are live keys. */
  readonly livemode: boolean;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
  /** The settlement account of a new merchant, or null. */
  readonly stellarAddress: string | null;
}

/** The number of the database lock that lets only one process create the merchant. No other lock uses it. */
const advisoryLock = 7_094_225_311;
const keyTypes = ['secret', 'publishable'] as const satisfies readonly ApiKeyType[];

/**
 * Creates the first merchant and the configured keys if they are missing. Several processes may run this at once. Does
 * not restore a revoked key.
 *
 * Without configured keys, derives test keys from the root secret, so that each start finds the same keys. Live keys
 * are random. `madeKeys` contains the live keys that this call has created: only their hashes are stored.
 */
export async function ensureFirstMerchant(
  deps: FirstMerchantDeps,
): Promise<{ readonly merchantId: string; readonly madeKeys: MadeKeys }> {
  const { livemode, clock, stellarAddress } = deps;
  return await deps.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(tx);
    const existing = await findFirstMerchant(tx);
    const merchantId = existing?.id ?? newId('account');
    // In test mode, web pages may set amounts, so that a single HTML tag is enough for a first try.
    const first = livemode ? { name: 'My shop', clientAmounts: false } : { name: 'Test shop', clientAmounts: true };
    if (existing === null) await insertMerchant(tx, { id: merchantId, ...first, stellarAddress });
    const needsKeys = livemode ? !(await hasApiKeys(tx, { merchantId, livemode })) : existing === null;
    const madeKeys: { [T in ApiKeyType]?: string } = {};
    for (const type of keyTypes) {
      const given = givenKey(deps, type);
      if (given === null && !needsKeys) continue;
      const text = given ?? (livemode ? newKeyText(type, true) : deps.secrets.testKey(merchantId, type));
      const name = livemode ? 'First live key' : 'First test key';
      const key = { merchant_id: merchantId, type, livemode, name, scopes: ['*'], created_at: clock.now() };
      await insertApiKey(tx, newApiKey(text, key));
      if (given === null && livemode) madeKeys[type] = text;
    }
    return { merchantId, madeKeys };
  });
}

function givenKey({ secretKey, publishableKey }: FirstMerchantDeps, type: ApiKeyType): string | null {
  return type === 'secret' ? secretKey : publishableKey;
}

/** The first merchant's usable keys whose text the server knows: configured keys or derived test keys. */
export async function findTestKeys(deps: FirstMerchantDeps, merchantId: string): Promise<TestKeys> {
  const usable = async (type: ApiKeyType) => {
    const text = givenKey(deps, type) ?? (deps.livemode ? null : deps.secrets.testKey(merchantId, type));
    const credential = text === null ? null : await findCredential(deps.db, hashKey(text));
    return credential?.merchant.id === merchantId ? text : null;
  };
  const [secretKey, publishableKey] = await Promise.all([usable('secret'), usable('publishable')]);
  const given = keyTypes.filter(type => givenKey(deps, type) !== null);
  return { merchantId, secretKey, publishableKey, given };
}
