import type { Role } from '../app/session.ts';

/** The rights of each role in words. */
export const roleWords: Readonly<Record<Role, string>> = {
  owner: 'Everything',
  admin: 'Everything but owners',
  developer: 'Reads; keys, webhooks and tests',
  finance: 'Reads; refunds, payouts, invoices and links',
  viewer: 'Reads',
};

/** The roles that an owner or an admin may give to others. Only an owner makes owners. */
export function grantable(role: Role): readonly Role[] {
  const all: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer'];
  return role === 'owner' ? all : all.filter(each => each !== 'owner');
}

export const roleOptions = (role: Role) => grantable(role).map(each => [each, `${each}: ${roleWords[each]}`] as const);
