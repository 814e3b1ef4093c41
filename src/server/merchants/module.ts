import * as merchantSchemas from '../../api/merchant.ts';
import { searchIn } from '../platform/db/search.ts';
import { developers, everybody, managers } from '../platform/http/access/roles.ts';
import { endStreamsWith } from '../platform/http/sse.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import {
  type AccountDeps,
  registerAccountRoutes,
  registerTestClockRoutes,
  type TestClockDeps,
} from './account.routes.ts';
import { type ApiKeyDeps, registerApiKeyRoutes } from './api-key.routes.ts';
import { fieldNotes, requestExamples } from './field-notes.ts';
import type { KeyDirectory, KeyDirectoryDeps } from './key-directory.ts';
import { createKeyWatch } from './key-watch.ts';

/** Merchants: their accounts, API keys and test clocks. */
export const merchants = defineModule<
  AccountDeps & ApiKeyDeps & TestClockDeps & KeyDirectoryDeps & { readonly keys: KeyDirectory }
>({
  name: 'merchants',
  tables: ['merchants', 'api_keys'],
  schemas: schemasIn(merchantSchemas),
  fieldNotes,
  requestExamples,
  scopes: {
    account: { read: everybody, write: managers },
    api_keys: { read: developers, write: developers },
    test_helpers: { read: developers, write: developers },
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
