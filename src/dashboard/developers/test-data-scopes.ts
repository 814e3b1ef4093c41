/**
 * The scopes of a key for all test data. `account:write` is missing, because test and live mode share the settings.
 * `api_keys:write` is missing, so the key cannot create keys.
 */
export const testDataScopes: readonly string[] = [
  ...[
    'payments:write',
    'invoices:write',
    'customers:write',
    'payouts:write',
    'recipients:write',
    'balance:write',
    'approvals:write',
  ],
  ...['mails:write', 'events:write', 'webhooks:write', 'test_helpers:write'],
  ...['account:read', 'reports:read', 'requests:read', 'api_keys:read'],
];
