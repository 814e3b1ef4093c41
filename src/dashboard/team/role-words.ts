import type { Role } from '../app/session.ts';

/** What each role may do, for menus and hints. */
export const roleWords: Readonly<Record<Role, string>> = {
  owner: 'Everything',
  admin: 'Everything but owners',
  developer: 'Reads; keys, webhooks and tests',
  finance: 'Reads; refunds, payouts, invoices and links',
  viewer: 'Reads',
};

/** The roles that a person with this role may give to others. */
export function grantable(role: Role): readonly Role[] {
  const all: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer'];
  return role === 'owner' ? all : all.filter(each => each !== 'owner');
}

export const roleOptions = (role: Role) => grantable(role).map(each => [each, `${each}: ${roleWords[each]}`] as const);
