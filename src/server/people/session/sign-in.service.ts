import type { FastifyRequest } from 'fastify';
import type { CreateSession } from '../../../api/people/person.ts';
import { PayError } from '../../../core/error.ts';
import { sameText } from '../../platform/secrets.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { ensureOwner, findPersonByEmail, isClaimed } from '../person.store.ts';
import { startSession } from './sessions.ts';

/** Signs in by one of the ways of `POST /v1/session`. Returns the session, its person and the token of the cookie. */
export async function signIn(deps: PeopleDeps, request: FastifyRequest, body: CreateSession) {
  const ways = [body.start_token, body.sandbox, body.email ?? body.password].filter(way => way !== undefined);
  if (ways.length !== 1) {
    throw new PayError('parameter_missing', 'Send email and password, or start_token, or sandbox.', { param: 'email' });
  }
  if (body.start_token !== undefined) return await signInAsOwner(deps, request, body.start_token);
  if (body.sandbox === true) return await signInToSandbox(deps, request);
  return await signInWithPassword(deps, request, body);
}

/** Whether anyone may sign in as owner: in the sandbox, until a person has a password. */
export async function isOpenSandbox({ config, db }: Pick<PeopleDeps, 'config' | 'db'>): Promise<boolean> {
  return config.network === 'sandbox' && !(await isClaimed(db));
}

async function signInAsOwner(deps: PeopleDeps, request: FastifyRequest, token: string) {
  const { merchantId } = await deps.testKeys();
  if (!sameText(deps.secrets.startToken(merchantId), token)) throw staleStart();
  return await enterAsOwner(deps, request, merchantId);
}

async function signInToSandbox(deps: PeopleDeps, request: FastifyRequest) {
  if (deps.config.network !== 'sandbox') throw staleStart();
  return await enterAsOwner(deps, request, (await deps.testKeys()).merchantId);
}

/** Starts a session of the first owner. Throws when a person has a password. */
async function enterAsOwner(deps: PeopleDeps, request: FastifyRequest, merchantId: string) {
  const now = deps.clock.now();
  return await deps.db.transaction().execute(async tx => {
    const personId = await ensureOwner(tx, merchantId, now);
    if (await isClaimed(tx)) throw staleStart();
    return { personId, ...(await startSession(tx, personId, request, now)) };
  });
}

function staleStart(): PayError {
  const message = 'This start address is wrong or no longer valid. Sign in with your e-mail address and password.';
  return new PayError('invalid_start_token', message);
}

async function signInWithPassword(deps: PeopleDeps, request: FastifyRequest, body: CreateSession) {
  const { email, password } = body;
  if (email === undefined || password === undefined) {
    const param = email === undefined ? 'email' : 'password';
    throw new PayError('parameter_missing', `${param} is missing.`, { param });
  }
  const person = await findPersonByEmail(deps.db, email);
  const isRight = await deps.passwords.verify(password, person?.password_hash ?? null);
  if (person === null || !isRight) {
    throw new PayError('invalid_credentials', 'The e-mail address or the password is wrong.');
  }
  return { personId: person.id, ...(await startSession(deps.db, person.id, request, deps.clock.now())) };
}
