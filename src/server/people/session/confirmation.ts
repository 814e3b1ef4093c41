import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import type { CallingPerson } from '../../platform/http/access/roles.ts';
import { beginAttempt } from '../guard/sign-in-guard.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { requirePerson } from '../person.store.ts';
import { confirmSession, findSession } from './session.store.ts';

/** A sign-in or confirmation counts for this long. */
const freshMs = 600_000;

/**
 * Throws `confirmation_required` when the person signed in a while ago. A thief of an open session must not be able to
 * change how the person signs in. People without a password have nothing to show.
 */
export async function assertConfirmed({ db, clock }: PeopleDeps, { id, personId }: CallingPerson): Promise<void> {
  const [session, person] = await Promise.all([findSession(db, id), requirePerson(db, personId)]);
  if (person.password_hash === null) return;
  const at = session?.confirmed_at?.getTime() ?? 0;
  if (clock.now().getTime() - at <= freshMs) return;
  throw new PayError('confirmation_required', 'Confirm your password first: POST /v1/session/confirm.');
}

/** Confirms the session by the password. Wrong passwords count like wrong sign-ins. Throws `invalid_credentials`. */
export async function confirmByPassword(
  deps: PeopleDeps,
  request: FastifyRequest,
  { id, personId }: CallingPerson,
  password: string,
): Promise<void> {
  const person = await requirePerson(deps.db, personId);
  const attempt = await beginAttempt(deps, request, person.email ?? personId);
  const isRight = await deps.passwords.verify(password, person.password_hash, attempt.isKnownDevice);
  if (!isRight) throw new PayError('invalid_credentials', 'The password is wrong.', { param: 'password' });
  await attempt.forgive();
  await confirmSession(deps.db, id, deps.clock.now());
}
