/** Roles of people at a merchant, from the most to the least powerful. */
export const roles = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const everybody: readonly Role[] = [...roles];
export const managers = ['owner', 'admin'] as const;
export const developers = ['owner', 'admin', 'developer'] as const;
export const accountants = ['owner', 'admin', 'finance'] as const;

/**
 * Families of scopes, and the roles whose people have each scope: `invoices` means `invoices:read` and
 * `invoices:write`. Without `write`, no call needs the scope that writes.
 */
export type ScopeRoles = Readonly<Record<string, { readonly read: readonly Role[]; readonly write?: readonly Role[] }>>;

/** The scopes of the service. Modules declare them. */
export type Scopes = ReturnType<typeof createScopes>;

export function createScopes(families: ScopeRoles) {
  const rolesByScope = new Map(
    Object.entries(families).flatMap(([family, { read, write }]): [string, readonly Role[]][] => [
      [`${family}:read`, read],
      ...(write === undefined ? [] : [[`${family}:write`, write] satisfies [string, readonly Role[]]]),
    ]),
  );
  const all = [...rolesByScope.keys()];
  const scopesOf = (role: Role): readonly string[] => {
    const own = all.filter(scope => rolesByScope.get(scope)?.includes(role));
    return own.length === all.length ? ['*'] : own;
  };
  return {
    families: Object.keys(families),
    /** All scopes that a key may have. */
    all,
    /** The scopes of a key for all test data. It only reads API keys, and the settings, which both modes share. */
    testData: Object.entries(families).map(([family, { write }]) =>
      write === undefined || /^(account|api_keys)$/.test(family) ? `${family}:read` : `${family}:write`,
    ),
    /** The roles that have the scope. Null for an unknown scope. */
    rolesOf: (scope: string): readonly Role[] | null => rolesByScope.get(scope) ?? null,
    /** The scopes of a person with the role. */
    scopesOf,
    /**
     * The scopes that a person with the role may give to a key of the mode. Developers may give test keys all scopes
     * except that of the shared settings, so that they can build a whole integration. Test mode moves no real money.
     */
    grantable: (role: Role, livemode: boolean): readonly string[] => {
      const own = scopesOf(role);
      if (livemode || own.includes('*') || !own.includes('api_keys:write')) return own;
      return all.filter(scope => scope !== sharedScope);
    },
  };
}

/** The scope of the account's settings, which both modes share. */
const sharedScope = 'account:write';

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
