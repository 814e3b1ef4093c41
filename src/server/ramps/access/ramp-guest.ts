import type { KeyDirectory } from '../../merchants/key-directory.ts';
import type { Db } from '../../platform/db/database.ts';
import type { GuestKind } from '../../platform/http/access/guest.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { findRampMode } from '../ramp.store.ts';

declare module '../../platform/http/access/guest.ts' {
  interface GuestKinds {
    /** Has the client secret of the ramp `:id`. */
    ramp: true;
  }
}

interface Deps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'openRampSecret'>;
  readonly keys: Pick<KeyDirectory, 'findMerchant'>;
}

/** Customers of ramps: they read and continue one ramp with its client secret. */
export const rampGuest: GuestKind<Deps> = {
  security: [{ publishableKey: [], clientSecret: [] }, { clientSecretAlone: [] }],
  create: ({ db, secrets, keys }) => ({
    object: 'ramp',
    secret: {
      name: 'client secret',
      prefix: 'ramp_',
      header: 'Pay-Client-Secret',
      open: text => secrets.openRampSecret(text),
    },
    find: async (id, merchantId) => {
      if (merchantId === null) return null;
      const ramp = await findRampMode(db, merchantId, id);
      const merchant = ramp && (await keys.findMerchant(merchantId));
      return merchant && { merchant, livemode: ramp.livemode };
    },
  }),
};
