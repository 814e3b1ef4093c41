import { PasskeyOptions, SignInWithPasskey } from '../../../api/people/factor.ts';
import { CreateSession, Session, SignInOptions } from '../../../api/people/person.ts';
import { assertOwnOrigin } from '../../platform/http/access/session-access.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { personOfPasskey, signInOptions } from '../factors/passkeys.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { isOpenSandbox, signIn } from './sign-in.service.ts';
import { startSessionOf } from './signed-in.ts';

const tags = ['People'];
const config = { access: 'public' } as const;

/** `POST /v1/session` and `/v1/session/passkey`: sign in. */
export function registerSignInRoutes(app: HttpApp, deps: PeopleDeps): void {
  app.get(
    '/v1/session/options',
    { schema: { response: { 200: SignInOptions }, tags, summary: 'How people may sign in' }, config },
    async () => ({ object: 'sign_in_options' as const, sandbox: await isOpenSandbox(deps) }),
  );
  app.post(
    '/v1/session',
    {
      schema: {
        body: CreateSession,
        response: { 201: Session },
        tags,
        summary: 'Sign in',
        description:
          'Sets the cookie of the session. Writes in the session also send `X-CSRF-Token`. Pages of other origins are refused.',
      },
      config,
    },
    async (request, reply) => {
      assertOwnOrigin(request, deps.publicUrl());
      const personId = await signIn(deps, request, request.body);
      const session = await startSessionOf(deps, request, reply, personId);
      return reply.code(201).header('location', '/v1/session').send(session);
    },
  );
  registerPasskeySignIn(app, deps);
}

function registerPasskeySignIn(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/session/passkey-options',
    { schema: { response: { 200: PasskeyOptions }, tags, summary: 'Begin to sign in with a passkey' }, config },
    async () => ({ object: 'passkey_options' as const, options: { ...(await signInOptions(deps)) } }),
  );
  app.post(
    '/v1/session/passkey',
    {
      schema: {
        body: SignInWithPasskey,
        response: { 201: Session },
        tags,
        summary: 'Sign in with a passkey',
        description: 'Takes no code: the device has checked the person. Wrong passwords of others never block it.',
      },
      config,
    },
    async (request, reply) => {
      assertOwnOrigin(request, deps.publicUrl());
      const personId = await personOfPasskey(deps, request.body.response);
      const session = await startSessionOf(deps, request, reply, personId);
      return reply.code(201).header('location', '/v1/session').send(session);
    },
  );
}
