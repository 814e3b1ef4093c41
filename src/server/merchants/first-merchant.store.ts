import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { ApiKeyType } from '../platform/http/access/key-text.ts';
import type { MadeKeys, TestKeys } from '../platform/pages/welcome.ts';
import { hashKey, type Secrets } from '../platform/secrets.ts';
import { findCredential, insertApiKey } from './api-key.store.ts';
import { keyHint, newKeyText } from './api-key.ts';
import { findFirstMerchant, insertMerchant } from './merchant.store.ts';

/** What making the first merchant needs. `secretKey` and `publishableKey` come from the settings, null where they are not set. */
export interface FirstMerchantDeps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'testKey'>;
  readonly clock: Clock;
  /** Whether the server takes real money: then all its keys are live ones. */
  readonly livemode: boolean;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
}

/** The first merchant, and the live keys that were made for it just now: the only time that they are known. */
export interface FirstMerchant {
  readonly merchantId: string;
  readonly madeKeys: MadeKeys;
}

/** Any number with no other meaning: processes that start at once take turns. */
const advisoryLock = 7_094_225_311;

/**
 * Makes sure that there is a merchant and that the keys of the settings are its keys. Without settings, test keys are
 * derived from the root secret: every start finds them again and none is stored in clear. Live keys are random and
 * shown once. Any number of processes may do this at once. A key that was revoked stays revoked.
 */
export async function ensureFirstMerchant(deps: FirstMerchantDeps): Promise<FirstMerchant> {
  return await deps.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(tx);
    const existing = await findFirstMerchant(tx);
    const merchantId = existing?.id ?? newId('account');
    // The sandbox's shop pages name amounts themselves, so that one tag on a page is enough to try everything.
    const newcomer = deps.livemode
      ? { name: 'My shop', clientAmounts: false }
      : { name: 'Test shop', clientAmounts: true };
    if (existing === null) await insertMerchant(tx, { id: merchantId, ...newcomer });
    const needsKeys = deps.livemode ? !(await hasKeys(tx, merchantId, true)) : existing === null;
    const madeKeys: { [T in ApiKeyType]?: string } = {};
    for (const type of keyTypes) {
      const given = givenKey(deps, type);
      if (given === null && !needsKeys) continue;
      const text = given ?? (deps.livemode ? newKeyText(type, true) : deps.secrets.testKey(merchantId, type));
      await keepKey(tx, deps, { merchantId, type, text });
      if (given === null && deps.livemode) madeKeys[type] = text;
    }
    return { merchantId, madeKeys };
  });
}

const keyTypes = ['secret', 'publishable'] as const satisfies readonly ApiKeyType[];

function givenKey({ secretKey, publishableKey }: FirstMerchantDeps, type: ApiKeyType): string | null {
  return type === 'secret' ? secretKey : publishableKey;
}

async function hasKeys(tx: Tx, merchantId: string, livemode: boolean): Promise<boolean> {
  const row = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('merchant_id', '=', merchantId)
    .where('livemode', '=', livemode)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function keepKey(
  tx: Tx,
  { clock, livemode }: FirstMerchantDeps,
  { merchantId, type, text }: { merchantId: string; type: ApiKeyType; text: string },
): Promise<void> {
  const key = {
    id: newId('apiKey'),
    merchantId,
    type,
    livemode,
    name: livemode ? 'First live key' : 'First test key',
    hint: keyHint(text),
    scopes: ['*'],
    createdAt: clock.now(),
  };
  await insertApiKey(tx, key, hashKey(text));
}

/** The first merchant's keys that the server knows: those of the settings, else the derived ones of test mode, while they work. */
export async function findTestKeys(deps: FirstMerchantDeps, merchantId: string): Promise<TestKeys> {
  const usable = async (type: ApiKeyType) => {
    const text = givenKey(deps, type) ?? (deps.livemode ? null : deps.secrets.testKey(merchantId, type));
    const credential = text === null ? null : await findCredential(deps.db, hashKey(text));
    return credential?.merchant.id === merchantId ? text : null;
  };
  const [secretKey, publishableKey] = await Promise.all(keyTypes.map(usable));
  const given = keyTypes.filter(type => givenKey(deps, type) !== null);
  return { merchantId, secretKey: secretKey ?? null, publishableKey: publishableKey ?? null, given };
}
