import type { FastifyRequest } from 'fastify';
import { Person, UpdatePerson } from '../../api/people/person.ts';
import { PayError } from '../../core/error.ts';
import { personOf } from '../platform/http/access/caller.ts';
import type { CallingPerson } from '../platform/http/access/roles.ts';
import { everybody } from '../platform/http/access/roles.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { assertEmail } from '../platform/mail/mail.ts';
import { assertConfirmed } from './confirmation.ts';
import { beginAttempt } from './guard/sign-in-guard.ts';
import { assertPassword } from './password.ts';
import type { PeopleDeps } from './people-deps.ts';
import { emailKey, type PersonRow, requirePerson, updatePerson } from './person.store.ts';
import { queueSecurityMails, type SecurityNotice, wakeMails } from './security-mail.ts';
import { deleteOtherSessions } from './session/session.store.ts';
import { readPerson } from './session.view.ts';

const tags = ['People'];

/** `/v1/person`: the person's own name, e-mail address and password. */
export function registerPersonRoutes(app: HttpApp, deps: PeopleDeps): void {
  app.patch(
    '/v1/person',
    {
      schema: {
        body: UpdatePerson,
        response: { 200: Person },
        tags,
        summary: 'Change your own data',
        description:
          'A new e-mail address or password takes `current_password`, once there is one; with passkeys alone, a fresh confirmation. A new password ends the other sessions.',
      },
      config: { access: 'person', roles: everybody },
    },
    async request => {
      const { id, personId } = personOf(request);
      const { person, changes } = await changesOf(deps, request, personOf(request), request.body);
      await deps.db.transaction().execute(async tx => {
        await updatePerson(tx, personId, changes);
        if (changes.password_hash !== undefined) await deleteOtherSessions(tx, personId, id);
        const newEmail = changes.email;
        await queueSecurityMails(deps, tx, { person, newEmail, notices: noticesOf(person, changes) });
      });
      wakeMails(deps);
      return await readPerson(deps.db, personId);
    },
  );
}

async function changesOf(deps: PeopleDeps, request: FastifyRequest, caller: CallingPerson, body: UpdatePerson) {
  const { name, email, password } = body;
  const person = await requirePerson(deps.db, caller.personId);
  if (email !== undefined) assertEmail(email, 'email');
  const address = email ?? person.email;
  if (password !== undefined) {
    if (address === null) {
      throw new PayError('parameter_missing', 'A password also takes your e-mail address.', { param: 'email' });
    }
    assertPassword(password, address);
  }
  if (email !== undefined || password !== undefined) {
    if (person.password_hash === null) await assertConfirmed(deps, caller);
    else await assertCurrentPassword(deps, request, person, body);
  }
  const changes = {
    ...(name !== undefined && { name: name?.trim() || null }),
    ...(email !== undefined && { email, email_key: emailKey(email) }),
    ...(email !== undefined && emailKey(email) !== person.email_key && { email_verified_at: null }),
    ...(password !== undefined && { password_hash: await deps.passwords.hash(password) }),
  };
  return { person, changes };
}

/** The notices about the changes. The first owner has no address before the account is claimed. */
function noticesOf(
  person: PersonRow,
  { email_key: key, password_hash: hash }: { readonly email_key?: string; readonly password_hash?: string },
): SecurityNotice[] {
  const hasNewEmail = key !== undefined && key !== person.email_key;
  if (hasNewEmail && person.email === null) return ['owner'];
  return [...(hasNewEmail ? (['email'] as const) : []), ...(hash === undefined ? [] : (['password'] as const))];
}

/**
 * Asks for the current password, so that a thief of an open session cannot take over the account. Wrong passwords count
 * like wrong sign-ins.
 */
async function assertCurrentPassword(
  deps: PeopleDeps,
  request: FastifyRequest,
  { id, email, password_hash: hash }: PersonRow,
  { current_password: current }: UpdatePerson,
): Promise<void> {
  const attempt = current === undefined ? null : await beginAttempt(deps, request, email ?? id);
  if (attempt !== null && (await deps.passwords.verify(current ?? '', hash, attempt.isKnownDevice))) {
    return await attempt.forgive();
  }
  const message = 'current_password is missing or wrong.';
  throw new PayError('invalid_password', message, { param: 'current_password' });
}
