import { PayError } from '../../../core/error.ts';
import type { CallingPerson, Role } from '../../platform/http/access/roles.ts';
import { deletePasskeys } from '../factors/passkey.store.ts';
import { removeTotp } from '../factors/totp.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { lockPerson } from '../person.store.ts';
import { queueSecurityMails, wakeMails } from '../security-mail.ts';
import { deleteOtherSessions } from '../session/session.store.ts';
import { deleteMembership, lockRoles, setRole } from './team.store.ts';

/** Throws `role_not_allowed` if one of the `concerned` roles is owner and the caller is not an owner. */
export function assertMayManage({ role }: Pick<CallingPerson, 'role'>, ...concerned: readonly Role[]): void {
  if (role === 'owner' || !concerned.includes('owner')) return;
  throw new PayError('role_not_allowed', `The role ${role} may not manage owners. It takes the role owner.`);
}

/** Gives a member another role. Throws `illegal_state` for the last owner, `role_not_allowed` or `resource_missing`. */
export async function changeRole(
  { db }: PeopleDeps,
  caller: CallingPerson,
  merchantId: string,
  personId: string,
  role: Role,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const known = await lockRoles(tx, merchantId);
    assertMayManage(caller, memberRole(known, personId), role);
    if (role !== 'owner') assertOtherOwner(known, personId);
    await setRole(tx, merchantId, personId, role);
  });
}

/**
 * Removes a member and ends the person's sessions. Only owners may remove another owner. Throws `illegal_state` for the
 * last owner, `role_not_allowed` or `resource_missing`.
 */
export async function removeMember(
  { db }: PeopleDeps,
  caller: CallingPerson,
  merchantId: string,
  personId: string,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const known = await lockRoles(tx, merchantId);
    const role = memberRole(known, personId);
    if (caller.personId !== personId) assertMayManage(caller, role);
    assertOtherOwner(known, personId);
    await deleteMembership(tx, merchantId, personId);
    await deleteOtherSessions(tx, personId, null);
  });
}

/**
 * Removes codes and passkeys. Ends the person's sessions, except the caller's own. Throws `illegal_state` for a person
 * without a password.
 */
export async function removeSecondFactors(deps: PeopleDeps, caller: CallingPerson, personId: string): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const person = await lockPerson(tx, personId);
    if (person?.password_hash == null) {
      throw new PayError('illegal_state', 'This person has no password. Ask the person to set one by mail first.');
    }
    await removeTotp(tx, personId);
    await deletePasskeys(tx, personId);
    await deleteOtherSessions(tx, personId, caller.id);
    await queueSecurityMails(deps, tx, { person, notices: ['factorsRemoved'] });
  });
  wakeMails(deps);
}

function memberRole(known: ReadonlyMap<string, Role>, personId: string): Role {
  const role = known.get(personId);
  if (role !== undefined) return role;
  throw new PayError('resource_missing', 'There is no team member with this id.', { param: 'id' });
}

function assertOtherOwner(known: ReadonlyMap<string, Role>, personId: string): void {
  const hasOther = [...known].some(([id, role]) => id !== personId && role === 'owner');
  if (hasOther || known.get(personId) !== 'owner') return;
  throw new PayError('illegal_state', 'This is the last owner. Make another person owner first.');
}
