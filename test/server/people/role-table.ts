import {
  accountants,
  developers,
  everybody,
  managers,
  type Role,
} from '../../../src/server/platform/http/access/roles.ts';

/**
 * The policy: the roles that may make each call in a dashboard session. All roles may use the scopes that read, and
 * those that handle money the others. The table has the exceptions. A key is a scope, or one call as `METHOD /path`.
 */
export const roleTable: Readonly<Record<string, readonly Role[]>> = {
  'requests:read': developers,
  'GET /v1/search': everybody,
  'events:write': developers,
  'webhooks:read': developers,
  'webhooks:write': developers,
  'api_keys:read': developers,
  'api_keys:write': developers,
  'test_helpers:read': developers,
  'test_helpers:write': developers,
  'POST /v1/payments/:id/simulate_bank_transfer': [...developers, 'finance'],
  'DELETE /v1/customers/:id': managers,
  'account:write': managers,
  'GET /v1/session': everybody,
  'DELETE /v1/session': everybody,
  'POST /v1/session/confirm': everybody,
  'PATCH /v1/person': everybody,
  'GET /v1/person/sessions': everybody,
  'DELETE /v1/person/sessions/:id': everybody,
  'POST /v1/person/totp': everybody,
  'POST /v1/person/totp/confirm': everybody,
  'DELETE /v1/person/totp': everybody,
  'POST /v1/person/recovery-codes': everybody,
  'GET /v1/person/passkeys': everybody,
  'POST /v1/person/passkeys/options': everybody,
  'POST /v1/person/passkeys': everybody,
  'DELETE /v1/person/passkeys/:id': everybody,
  'GET /v1/team': everybody,
  'PATCH /v1/team/:id': managers,
  'DELETE /v1/team/:id': managers,
  'POST /v1/team/:id/remove-second-factors': managers,
  'GET /v1/invitations': managers,
  'POST /v1/invitations': managers,
  'DELETE /v1/invitations/:id': managers,
  'GET /v1/audit-log': managers,
  'GET /v1/treasury': accountants,
  'POST /v1/customers/:id/kyc/approve': accountants,
  'POST /v1/customers/:id/kyc/request_more': accountants,
  'POST /v1/customers/:id/kyc/reject': accountants,
  'POST /v1/merchants': everybody,
};

/** The roles that may make the call. Null if the call has no scope and no entry in the table. */
export function rolesOf(method: string, url: string, scope: string | null | undefined): readonly Role[] | null {
  const byScope = scope == null ? null : (roleTable[scope] ?? (scope.endsWith(':read') ? everybody : accountants));
  return roleTable[`${method} ${url}`] ?? byScope;
}
