import type { FastifyRequest } from 'fastify';
import type { CreateSession } from '../../../api/people/person.ts';
import { PayError } from '../../../core/error.ts';
import { sameText } from '../../platform/secrets.ts';
import { assertSecondFactor } from '../factors/totp.ts';
import { beginAttempt } from '../guard/sign-in-guard.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { ensureOwner, findPersonByEmail, isClaimed } from '../person.store.ts';

/** Checks the password or start token in the body of `POST /v1/session`. Returns the person's id. */
export async function signIn(deps: PeopleDeps, request: FastifyRequest, body: CreateSession): Promise<string> {
  const ways = [body.start_token, body.sandbox, body.email ?? body.password].filter(way => way !== undefined);
  if (ways.length !== 1) {
    throw new PayError('parameter_missing', 'Send email and password, or start_token, or sandbox.', { param: 'email' });
  }
  if (body.start_token === undefined && body.sandbox === undefined) return await byPassword(deps, request, body);
  return await asOwner(deps, body.start_token);
}

/** Whether anyone may sign in as owner. This holds in the sandbox until a person has a password or a passkey. */
export async function isOpenSandbox({ config, db }: Pick<PeopleDeps, 'config' | 'db'>): Promise<boolean> {
  return config.network === 'sandbox' && !(await isClaimed(db));
}

/**
 * The id of the first owner. The sandbox needs no start token. Throws `invalid_start_token` if the token is wrong, or
 * if a person has a password or a passkey.
 */
async function asOwner(deps: PeopleDeps, token: string | undefined): Promise<string> {
  const { merchantId } = await deps.testKeys();
  const isRight =
    token === undefined ? deps.config.network === 'sandbox' : sameText(deps.secrets.startToken(merchantId), token);
  if (!isRight) throw staleStart();
  return await deps.db.transaction().execute(async tx => {
    const personId = await ensureOwner(tx, merchantId, deps.clock.now());
    if (await isClaimed(tx)) throw staleStart();
    return personId;
  });
}

function staleStart(): PayError {
  const message = 'This start address is wrong or no longer valid. Sign in with your password or passkey.';
  return new PayError('invalid_start_token', message);
}

async function byPassword(deps: PeopleDeps, request: FastifyRequest, body: CreateSession): Promise<string> {
  const { email, password, code } = body;
  if (email === undefined || password === undefined) {
    const param = email === undefined ? 'email' : 'password';
    throw new PayError('parameter_missing', `${param} is missing.`, { param });
  }
  const attempt = await beginAttempt(deps, request, email);
  const person = await findPersonByEmail(deps.db, email);
  const isRight = await deps.passwords.verify(password, person?.password_hash ?? null, attempt.isKnownDevice);
  if (person === null || !isRight) {
    throw new PayError('invalid_credentials', 'The e-mail address or the password is wrong.');
  }
  // A right password without a code is not a wrong attempt: the dashboard asks for the code afterwards.
  if (code === undefined) await attempt.forgive();
  await assertSecondFactor(deps, person, code);
  if (code !== undefined) await attempt.forgive();
  return person.id;
}
