import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import type { Db, Tx } from '../db/database.ts';
import { hashKey, type Secrets } from '../secrets.ts';
import { findCredential, insertApiKey } from './api-key.store.ts';
import { type ApiKeyType, keyHint } from './api-key.ts';
import { findFirstMerchant, insertMerchant } from './merchant.store.ts';

/** What making the first merchant needs. `secretKey` and `publishableKey` come from the settings, null where they are not set. */
export interface FirstMerchantDeps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'testKey'>;
  readonly clock: Clock;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
}

/** The first merchant's test keys, as far as they are known and still work: keys are kept as hashes only. */
export interface TestKeys {
  readonly merchantId: string;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
  /** The keys that came from the settings. Their texts are the operator's, so they are used and never shown. */
  readonly given: readonly ApiKeyType[];
}

/** Any number with no other meaning: processes that start at once take turns. */
const advisoryLock = 7_094_225_311;

/**
 * Makes sure that there is a merchant and that the keys of the settings are its keys; without settings, its keys are
 * derived from the root secret, so that nothing readable is kept anywhere and every start finds them again. Any number
 * of processes may do this at once. A key that was revoked stays revoked.
 */
export async function ensureFirstMerchant(deps: FirstMerchantDeps): Promise<string> {
  return await deps.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(tx);
    const existing = await findFirstMerchant(tx);
    const merchantId = existing?.id ?? newId('account');
    // The sandbox's shop pages name amounts themselves, so that one tag on a page is enough to try everything.
    if (existing === null) await insertMerchant(tx, { id: merchantId, name: 'Test shop', clientAmounts: true });
    for (const type of ['secret', 'publishable'] as const) {
      const given = type === 'secret' ? deps.secretKey : deps.publishableKey;
      const text = given ?? (existing === null ? deps.secrets.testKey(merchantId, type) : null);
      if (text !== null) await keepKey(tx, deps.clock, merchantId, type, text);
    }
    return merchantId;
  });
}

async function keepKey(tx: Tx, clock: Clock, merchantId: string, type: ApiKeyType, text: string): Promise<void> {
  const key = {
    id: newId('apiKey'),
    merchantId,
    type,
    livemode: false,
    name: 'First test key',
    hint: keyHint(text),
    scopes: ['*'],
    createdAt: clock.now(),
  };
  await insertApiKey(tx, key, hashKey(text));
}

/** The first merchant's keys that the server knows: those of the settings, else the derived ones, while they work. */
export async function findTestKeys(deps: FirstMerchantDeps, merchantId: string): Promise<TestKeys> {
  const usable = async (type: ApiKeyType, given: string | null) => {
    const text = given ?? deps.secrets.testKey(merchantId, type);
    const credential = await findCredential(deps.db, hashKey(text));
    return credential?.merchant.id === merchantId ? text : null;
  };
  const [secretKey, publishableKey] = await Promise.all([
    usable('secret', deps.secretKey),
    usable('publishable', deps.publishableKey),
  ]);
  const isGiven = { secret: deps.secretKey !== null, publishable: deps.publishableKey !== null };
  const given = (['secret', 'publishable'] as const).filter(type => isGiven[type]);
  return { merchantId, secretKey, publishableKey, given };
}
