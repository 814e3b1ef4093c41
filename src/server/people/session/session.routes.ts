import { CreateSession, Session, SignInOptions } from '../../../api/people/person.ts';
import { Deleted } from '../../../api/schema.ts';
import { callerOf, personOf } from '../../platform/http/access/caller.ts';
import { assertOwnOrigin, sessionCookie } from '../../platform/http/access/session-access.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { deleteSession } from './session.store.ts';
import { readSession } from './session.view.ts';
import { cookieSeconds } from './sessions.ts';
import { isOpenSandbox, signIn } from './sign-in.service.ts';

const tags = ['People'];

/** `/v1/session`: signs in and out, and reads the session. */
export function registerSessionRoutes(app: HttpApp, deps: PeopleDeps): void {
  registerSignIn(app, deps);
  app.get(
    '/v1/session',
    { schema: { response: { 200: Session }, tags, summary: 'Read the session' }, config: { access: 'person' } },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const { id, personId, token } = personOf(request);
      return await view(deps, { id, personId, token, merchantId: merchant.id, livemode });
    },
  );
  app.delete(
    '/v1/session',
    {
      schema: { response: { 200: Deleted }, tags, summary: 'Sign out' },
      config: { access: 'person' },
    },
    async (request, reply) => {
      const { id } = personOf(request);
      await deleteSession(deps.db, id);
      reply.header('set-cookie', sessionCookie(deps.publicUrl(), null, 0));
      return { id, object: 'session', deleted: true as const };
    },
  );
}

function registerSignIn(app: HttpApp, deps: PeopleDeps): void {
  app.get(
    '/v1/session/options',
    {
      schema: { response: { 200: SignInOptions }, tags, summary: 'How people may sign in' },
      config: { access: 'public' },
    },
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
      config: { access: 'public' },
    },
    async (request, reply) => {
      assertOwnOrigin(request, deps.publicUrl());
      const { id, personId, token } = await signIn(deps, request, request.body);
      const livemode = isLiveOnly(deps);
      const session = await view(deps, { id, personId, token, merchantId: null, livemode });
      reply.header('set-cookie', sessionCookie(deps.publicUrl(), token, cookieSeconds));
      return reply.code(201).header('location', '/v1/session').send(session);
    },
  );
}

function isLiveOnly({ config }: PeopleDeps): boolean {
  return config.network === 'public';
}

async function view(
  deps: PeopleDeps,
  session: { id: string; personId: string; token: string; merchantId: string | null; livemode: boolean },
): Promise<Session> {
  return await readSession(deps.db, {
    ...session,
    isLiveOnly: isLiveOnly(deps),
    csrfToken: deps.secrets.csrfToken(session.token),
    isOpenSandbox: await isOpenSandbox(deps),
  });
}
