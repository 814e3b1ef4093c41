import type { KeyDirectory } from '../../merchants/key-directory.ts';
import type { Db } from '../../platform/db/database.ts';
import type { GuestKind } from '../../platform/http/access/guest.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { findPaymentMode } from '../payment.store.ts';

declare module '../../platform/http/access/guest.ts' {
  interface GuestKinds {
    /** Has the client secret of the payment `:id`. */
    payer: true;
  }
}

interface Deps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'openClientSecret'>;
  readonly keys: Pick<KeyDirectory, 'findMerchant'>;
}

/** Payers: they read and pay one payment with its client secret. */
export const payerGuest: GuestKind<Deps> = {
  security: [{ publishableKey: [], clientSecret: [] }, { clientSecretAlone: [] }],
  create: ({ db, secrets, keys }) => ({
    object: 'payment',
    secret: {
      name: 'client secret',
      prefix: 'pay_',
      header: 'Pay-Client-Secret',
      open: text => {
        const opened = secrets.openClientSecret(text);
        return opened && { merchantId: opened.merchantId, id: opened.paymentId };
      },
    },
    find: async (paymentId, merchantId) => {
      if (merchantId === null) return null;
      const payment = await findPaymentMode(db, { merchantId, paymentId });
      const merchant = payment && (await keys.findMerchant(merchantId));
      return merchant && { merchant, livemode: payment.livemode };
    },
  }),
};

export const clientSecretSchemes = {
  clientSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'Pay-Client-Secret',
    description: 'The client secret of the payment, together with a publishable key.',
  },
  clientSecretAlone: {
    type: 'http',
    scheme: 'bearer',
    description: 'The client secret of the payment, without a key.',
  },
};
