import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import type { Db } from '../platform/db/database.ts';
import type { ApiKeyType } from '../platform/http/access/caller.ts';
import type { MadeKeys, TestKeys } from '../platform/pages/welcome.ts';
import { hashKey, type Secrets } from '../platform/secrets.ts';
import { findCredential, hasApiKeys, insertApiKey, newApiKey, newKeyText } from './api-key.store.ts';
import { findFirstMerchant, insertMerchant } from './merchant.store.ts';

/** What making the first merchant needs. Keys come from the settings; null when they are not set. */
export interface FirstMerchantDeps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'testKey'>;
  readonly clock: Clock;
  /** Whether the server takes real money: then all its keys are live ones. */
  readonly livemode: boolean;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
}

/** Any number with no other meaning: processes that start at once take turns. */
const advisoryLock = 7_094_225_311;
const keyTypes = ['secret', 'publishable'] as const satisfies readonly ApiKeyType[];

/**
 * Makes sure that there is a merchant with the keys of the settings. Any number of processes may do this at once. A
 * revoked key stays revoked.
 *
 * Without settings, test keys are derived from the root secret, so every start finds them again. Live keys are random;
 * `madeKeys` shows those that were made now, once.
 */
export async function ensureFirstMerchant(
  deps: FirstMerchantDeps,
): Promise<{ readonly merchantId: string; readonly madeKeys: MadeKeys }> {
  const { livemode, clock } = deps;
  return await deps.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(tx);
    const existing = await findFirstMerchant(tx);
    const merchantId = existing?.id ?? newId('account');
    // The sandbox's shop pages set amounts themselves, so one tag on a page is enough to try everything.
    const first = livemode ? { name: 'My shop', clientAmounts: false } : { name: 'Test shop', clientAmounts: true };
    if (existing === null) await insertMerchant(tx, { id: merchantId, ...first });
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

/** The usable keys of the first merchant that the server knows: those of the settings, or the derived test keys. */
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
