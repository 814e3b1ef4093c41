import type { FastifyRequest } from 'fastify';
import type { ConfirmSession } from '../../api/people/person.ts';
import { PayError } from '../../core/error.ts';
import type { CallingPerson } from '../platform/http/access/roles.ts';
import { listPasskeys } from './factors/passkey.store.ts';
import { personOfPasskey } from './factors/passkeys.ts';
import { beginAttempt } from './guard/sign-in-guard.ts';
import type { PeopleDeps } from './people-deps.ts';
import { requirePerson } from './person.store.ts';
import { findSession, setConfirmed } from './session/session.store.ts';

/** Milliseconds for which a sign-in or a confirmation counts. */
const freshMs = 600_000;

/**
 * Throws `confirmation_required` if the last sign-in or confirmation is too old. A thief of an open session must not be
 * able to change how the person signs in. A person without password and passkey cannot confirm, so the call is allowed.
 */
export async function assertConfirmed({ db, clock }: PeopleDeps, { id, personId }: CallingPerson): Promise<void> {
  const [session, person, passkeys] = await Promise.all([
    findSession(db, id),
    requirePerson(db, personId),
    listPasskeys(db, personId),
  ]);
  const hasPassword = person.password_hash !== null;
  if (!hasPassword && passkeys.length === 0) return;
  const at = session?.confirmed_at?.getTime() ?? 0;
  if (clock.now().getTime() - at <= freshMs) return;
  const proof = hasPassword ? 'password' : 'passkey';
  throw new PayError('confirmation_required', `Confirm with your ${proof} first: POST /v1/session/confirm.`);
}

/** Confirms the session by the password or by a passkey of the person. */
export async function confirmSession(
  deps: PeopleDeps,
  request: FastifyRequest,
  person: CallingPerson,
  { password, response }: ConfirmSession,
): Promise<void> {
  if ((password === undefined) === (response === undefined)) {
    throw new PayError('parameter_missing', 'Send password, or the response of a passkey.', { param: 'password' });
  }
  if (password !== undefined) await assertPasswordOf(deps, request, person.personId, password);
  else if ((await personOfPasskey(deps, response)) !== person.personId) {
    throw new PayError('invalid_passkey', 'This passkey belongs to another person.');
  }
  await setConfirmed(deps.db, person.id, deps.clock.now());
}

/** Checks the password. Wrong passwords count like wrong sign-ins. Throws `invalid_credentials`. */
async function assertPasswordOf(
  deps: PeopleDeps,
  request: FastifyRequest,
  personId: string,
  password: string,
): Promise<void> {
  const person = await requirePerson(deps.db, personId);
  const attempt = await beginAttempt(deps, request, person.email ?? personId);
  const isRight = await deps.passwords.verify(password, person.password_hash, attempt.isKnownDevice);
  if (!isRight) throw new PayError('invalid_credentials', 'The password is wrong.', { param: 'password' });
  await attempt.forgive();
}
