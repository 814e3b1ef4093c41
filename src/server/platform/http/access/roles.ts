/** Roles of people at a merchant, from the most to the least powerful. */
export const roles = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const;
export type Role = (typeof roles)[number];

const everybody = roles;
const managers = ['owner', 'admin'] as const;
const developers = ['owner', 'admin', 'developer'] as const;
const accountants = ['owner', 'admin', 'finance'] as const;

/**
 * The roles that may make each call in a dashboard session. A key is a scope, or one call as `METHOD /path`, which
 * overrides the call's scope. Calls without an entry are for owners only.
 */
export const roleTable: Readonly<Record<string, readonly Role[]>> = {
  'payments:read': everybody,
  'payments:write': accountants,
  'invoices:read': everybody,
  'invoices:write': accountants,
  'balance:read': everybody,
  'balance:write': accountants,
  'payouts:read': everybody,
  'payouts:write': accountants,
  'approvals:read': everybody,
  'approvals:write': accountants,
  'recipients:read': everybody,
  'recipients:write': accountants,
  'requests:read': developers,
  'reports:read': everybody,
  'GET /v1/search': everybody,
  'customers:read': everybody,
  'customers:write': accountants,
  'mails:read': everybody,
  'mails:write': accountants,
  'events:read': everybody,
  'events:write': developers,
  'webhooks:read': developers,
  'webhooks:write': developers,
  'api_keys:read': developers,
  'api_keys:write': developers,
  'test_helpers:read': developers,
  'test_helpers:write': developers,
  'POST /v1/payments/:id/simulate_bank_transfer': [...developers, 'finance'],
  'account:read': everybody,
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
  'POST /v1/merchants': everybody,
};

/** The roles that may make the call. Null if the table has no entry for it. */
export function rolesOf(method: string, url: string, scope: string | null | undefined): readonly Role[] | null {
  return roleTable[`${method} ${url}`] ?? (scope == null ? null : (roleTable[scope] ?? null));
}

/** All scopes in the table. */
const allScopes = Object.keys(roleTable).filter(entry => /^\w+:(read|write)$/.test(entry));

/** The scopes of a person with the role. */
export function scopesOf(role: Role): readonly string[] {
  const own = allScopes.filter(scope => roleTable[scope]?.includes(role));
  return own.length === allScopes.length ? ['*'] : own;
}

/** The scope of the account's settings, which both modes share. */
const sharedScope = 'account:write';

/**
 * The scopes that a person with the role may give to a key of the mode. Developers may give test keys all scopes except
 * that of the shared settings, so that they can build a whole integration. Test mode moves no real money.
 */
export function grantableScopes(role: Role, livemode: boolean): readonly string[] {
  const own = scopesOf(role);
  if (livemode || own.includes('*') || !own.includes('api_keys:write')) return own;
  return allScopes.filter(scope => scope !== sharedScope);
}

/** The person of a dashboard session, in `caller.person`. */
export interface CallingPerson {
  /** The id of the session. */
  readonly id: string;
  readonly personId: string;
  /** Whether the person is the operator, who may create merchants and remove second factors of team members. */
  readonly isOperator: boolean;
  /** The person's role at the merchant of the request. */
  readonly role: Role;
  /** The token of the cookie. */
  readonly token: string;
}
