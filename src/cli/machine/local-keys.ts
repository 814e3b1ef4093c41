import type { ApiKey, CreateApiKey } from '../../api/merchant.ts';
import { systemClock } from '../../core/clock.ts';
import { insertApiKey, listApiKeys, revokeApiKey } from '../../server/merchants/api-key.store.ts';
import { apiKeyToWire, assertRevoked, draftKey } from '../../server/merchants/api-key.ts';
import { findFirstMerchant } from '../../server/merchants/merchant.store.ts';
import type { Db } from '../../server/platform/db/database.ts';
import type { MerchantScope } from '../../server/platform/merchant.ts';
import { claimNetwork } from '../../server/platform/root-secret.store.ts';
import { CliError } from '../cli-error.ts';
import { type Environment, withMachine } from './machine.ts';

/** The API keys of the first merchant in this machine's database. Changes apply to running servers at once. */
export function localKeys(environment: Environment) {
  const work = <T>(run: (db: Db, scope: MerchantScope) => Promise<T>) =>
    withMachine(environment, async ({ config, database: { db } }) => {
      await claimNetwork(db, config.network);
      const merchant = await findFirstMerchant(db);
      if (merchant === null) throw new CliError('There is no merchant yet. Start the service first.');
      return await run(db, { merchantId: merchant.id, livemode: config.network === 'public' });
    });
  return {
    create: (body: CreateApiKey): Promise<ApiKey> =>
      work(async (db, scope) => {
        const owner = { ...scope, scopes: ['*'], personId: null, now: systemClock.now() };
        const { key, text } = draftKey(owner, body, await scopeFamilies());
        await db.transaction().execute(tx => insertApiKey(tx, key));
        return apiKeyToWire(key, text);
      }),
    list: (): Promise<readonly ApiKey[]> =>
      work(async (db, scope) => {
        const keys: ApiKey[] = [];
        for (let isLast = false; !isLast; ) {
          const startingAfter = keys.at(-1)?.id ?? null;
          const page = await listApiKeys(db, scope, { limit: 100, startingAfter, endingBefore: null, created: [] });
          keys.push(...page.rows.map(row => apiKeyToWire(row)));
          isLast = !page.hasMore;
        }
        return keys;
      }),
    revoke: (id: string): Promise<void> =>
      work(async (db, scope) => {
        const now = systemClock.now();
        assertRevoked(await db.transaction().execute(tx => revokeApiKey(tx, scope, id, now)));
      }),
  };
}

async function scopeFamilies(): Promise<readonly string[]> {
  const [{ modules }, { declarationsOf }] = await Promise.all([
    import('../../server/app.ts'),
    import('../../server/platform/module.ts'),
  ]);
  return Object.keys(declarationsOf(modules).scopes);
}
