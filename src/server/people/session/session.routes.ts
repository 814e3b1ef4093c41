import { Type } from 'typebox';
import { ConfirmSession, Session, SessionsOfPerson } from '../../../api/people/person.ts';
import { Deleted } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { callerOf, personOf } from '../../platform/http/access/caller.ts';
import { everybody } from '../../platform/http/access/roles.ts';
import { ownCookie } from '../../platform/http/access/session-access.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { confirmSession } from '../confirmation.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { deleteSession, deleteSessionOf, listSessions, type SessionRow } from './session.store.ts';
import { showSession } from './signed-in.ts';

const tags = ['People'];
const config = { access: 'person', roles: everybody } as const;

/** `/v1/session`: reads, confirms and ends the session. `/v1/person/sessions`: the person's sessions. */
export function registerSessionRoutes(app: HttpApp, deps: PeopleDeps): void {
  app.get(
    '/v1/session',
    { schema: { response: { 200: Session }, tags, summary: 'Read the session' }, config },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const { id, personId, token } = personOf(request);
      return await showSession(deps, { id, personId, token, merchantId: merchant.id, livemode });
    },
  );
  app.delete(
    '/v1/session',
    { schema: { response: { 200: Deleted }, tags, summary: 'Sign out' }, config },
    async (request, reply) => {
      const { id } = personOf(request);
      await deleteSession(deps.db, id);
      reply.header('set-cookie', ownCookie(deps.publicUrl(), 'session', null, 0));
      return { id, object: 'session', deleted: true as const };
    },
  );
  app.post(
    '/v1/session/confirm',
    {
      schema: {
        body: ConfirmSession,
        response: { 200: Session },
        tags,
        summary: 'Confirm your password or passkey',
        description:
          'For ten minutes, changes of how you sign in are allowed. A sign-in counts as well. A passkey takes the options of `POST /v1/session/passkey-options`.',
      },
      config: { ...config, ignoresKey: true },
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const person = personOf(request);
      await confirmSession(deps, request, person, request.body);
      return await showSession(deps, { ...person, merchantId: merchant.id, livemode });
    },
  );
  registerSessionList(app, deps);
}

function registerSessionList(app: HttpApp, deps: PeopleDeps): void {
  const url = '/v1/person/sessions';
  app.get(
    url,
    { schema: { response: { 200: SessionsOfPerson }, tags, summary: 'List your sessions' }, config },
    async request => {
      const { id, personId } = personOf(request);
      const rows = await listSessions(deps.db, personId, deps.clock.now());
      return { object: 'list' as const, url, has_more: false, data: rows.map(row => sessionToWire(row, id)) };
    },
  );
  app.delete(
    `${url}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Deleted },
        tags,
        summary: 'End one of your sessions',
      },
      config,
    },
    async request => {
      const { id } = request.params;
      if (await deleteSessionOf(deps.db, personOf(request).personId, id)) {
        return { id, object: 'session', deleted: true as const };
      }
      throw new PayError('resource_missing', 'You have no session with this id.', { param: 'id' });
    },
  );
}

function sessionToWire(row: SessionRow, currentId: string) {
  return {
    id: row.id,
    object: 'person_session' as const,
    is_current: row.id === currentId,
    network: row.network,
    user_agent: row.user_agent,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
