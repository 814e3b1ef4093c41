/**
 * The scopes of test data. A key with them takes payments, links, invoices and payouts in test mode. It lacks
 * `account:write`, because both modes share the settings, and `api_keys:write`.
 */
export const testDataScopes: readonly string[] = [
  ...['payments:write', 'invoices:write', 'customers:write', 'payouts:write', 'recipients:write', 'balance:write'],
  ...['mails:write', 'events:write', 'webhooks:write', 'test_helpers:write'],
  ...['account:read', 'reports:read', 'requests:read', 'api_keys:read'],
];
