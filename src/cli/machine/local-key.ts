import { systemClock } from '../../core/clock.ts';
import { findTestKeys } from '../../server/merchants/first-merchant.store.ts';
import { findFirstMerchant } from '../../server/merchants/merchant.store.ts';
import { loadRootSecret } from '../../server/platform/root-secret.store.ts';
import { createSecrets } from '../../server/platform/secrets.ts';
import { type Environment, withMachine } from './machine.ts';

/** The derived test key of the first merchant. Null if this key does not exist or is revoked. */
export async function findLocalKey(environment: Environment): Promise<string | null> {
  return await withMachine(environment, async ({ database: { db } }) => {
    const merchant = await findFirstMerchant(db);
    if (merchant === null) return null;
    const secrets = createSecrets(await loadRootSecret(db));
    const given = { livemode: false, secretKey: null, publishableKey: null, stellarAddress: null };
    return (await findTestKeys({ db, secrets, clock: systemClock, ...given }, merchant.id)).secretKey;
  });
}
