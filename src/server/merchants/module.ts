import * as merchantSchemas from '../../api/merchant.ts';
import type { Db } from '../platform/db/database.ts';
import { searchIn } from '../platform/db/search.ts';
import { developers, everybody, managers } from '../platform/http/access/roles.ts';
import { endStreamsWith } from '../platform/http/sse.ts';
import type { Merchant } from '../platform/merchant.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import {
  type AccountDeps,
  registerAccountRoutes,
  registerTestClockRoutes,
  type TestClockDeps,
} from './account.routes.ts';
import { type ApiKeyDeps, registerApiKeyRoutes } from './api-key.routes.ts';
import { fieldNotes, requestExamples } from './field-notes.ts';
import { createKeyDirectory, type KeyDirectory, type KeyDirectoryDeps } from './key-directory.ts';
import { createKeyWatch } from './key-watch.ts';
import { findMerchant, findMerchants } from './merchant.store.ts';

interface MerchantServices {
  readonly keys: KeyDirectory;
  /** Throws Error for a merchant that does not exist. */
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  readonly findMerchants: typeof findMerchants;
}

/** Merchants: their accounts, API keys and test clocks. */
export const merchants = defineModule<
  AccountDeps & ApiKeyDeps & TestClockDeps & KeyDirectoryDeps & { readonly keys: KeyDirectory },
  { services: MerchantServices }
>({
  name: 'merchants',
  provides: {
    keys: createKeyDirectory,
    findMerchant: ({ db }) => requireMerchant(db),
    findMerchants: () => findMerchants,
  },
  tables: ['merchants', 'api_keys'],
  schemas: schemasIn(merchantSchemas),
  fieldNotes,
  requestExamples,
  scopes: {
    account: { read: everybody, write: managers },
    api_keys: { read: developers, write: developers },
    test_helpers: { read: developers, write: developers },
  },
  securitySchemes: {
    secretKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'A secret key: `sk_test_…` or `sk_live_…`. For servers only.',
    },
    publishableKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'A publishable key: `pk_test_…` or `pk_live_…`. It may be in web pages of allowed origins.',
    },
  },
  tags: {
    Account: 'Your name, look, origins and rules.',
    'API keys': 'API keys of the mode of the key that makes the call.',
  },
  search: [
    searchIn('api_keys', {
      kind: 'apiKey',
      type: 'api_key',
      path: '/v1/api-keys',
      scope: 'api_keys:read',
      deletedAt: 'revoked_at',
      show: row => ({ title: row.name ?? row.hint, subtitle: row.type }),
    }),
  ],
  routes: (app, deps) => {
    endStreamsWith(app, createKeyWatch(deps));
    registerAccountRoutes(app, deps);
    registerApiKeyRoutes(app, deps);
  },
  testRoutes: registerTestClockRoutes,
  stop: ({ keys }) => keys.close(),
});

function requireMerchant(db: Db): MerchantServices['findMerchant'] {
  return async merchantId => {
    const merchant = await findMerchant(db, merchantId);
    if (merchant === null) throw new Error(`merchant ${merchantId} does not exist`);
    return merchant;
  };
}
