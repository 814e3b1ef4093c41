import { Type } from 'typebox';
import {
  AcceptedInvitation,
  AcceptInvitation,
  CreateInvitation,
  Invitation,
  OpenedInvitation,
  OpenInvitation,
} from '../../../api/people/team.ts';
import { Deleted, ListOf } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { callerOf, personOf } from '../../platform/http/access/caller.ts';
import { managers } from '../../platform/http/access/roles.ts';
import { assertOwnOrigin } from '../../platform/http/access/session-access.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { acceptInvitation, invite, openInvitation } from './invitation.service.ts';
import { assertMayManage } from './team.service.ts';
import { deleteInvitation, findInvitation, type InvitationRow, listInvitations } from './team.store.ts';

const tags = ['Team'];
const config = { access: 'person', roles: managers } as const;

/** `/v1/invitations`: people join a merchant by mail. */
export function registerInvitationRoutes(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/invitations',
    { schema: { body: CreateInvitation, response: { 201: Invitation }, tags, summary: 'Invite a person' }, config },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const create = await invite(deps, callerOf(request), personOf(request), request.body);
        const answer = await execution.commit(async tx => {
          const row = await create(tx);
          return { status: 201, body: invitationToWire(row), resourceId: row.id };
        });
        deps.wake(mailSweep);
        return answer;
      }),
  );
  app.get(
    '/v1/invitations',
    { schema: { response: { 200: ListOf(Invitation) }, tags, summary: 'List open invitations' }, config },
    async request => {
      const rows = await listInvitations(deps.db, callerOf(request).merchant.id, deps.clock.now());
      return { object: 'list' as const, url: '/v1/invitations', has_more: false, data: rows.map(invitationToWire) };
    },
  );
  app.delete(
    '/v1/invitations/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Deleted },
        tags,
        summary: 'Withdraw an invitation',
      },
      config,
    },
    async request => {
      const merchantId = callerOf(request).merchant.id;
      const { id } = request.params;
      const found = await findInvitation(deps.db, merchantId, id);
      if (found !== null) assertMayManage(personOf(request), found.role);
      if (found !== null && (await deleteInvitation(deps.db, merchantId, id))) {
        return { id, object: 'invitation', deleted: true as const };
      }
      throw new PayError('resource_missing', 'There is no open invitation with this id.', { param: 'id' });
    },
  );
  registerInvited(app, deps);
}

/** Calls of the invited person, with the token from the mail instead of an API key or a session. */
function registerInvited(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/invitations/open',
    {
      schema: { body: OpenInvitation, response: { 200: OpenedInvitation }, tags, summary: 'Read an invitation' },
      config: { access: 'public' },
    },
    async request => {
      const { invitation, merchant, person } = await openInvitation(deps, request.body.token);
      return {
        object: 'opened_invitation' as const,
        email: invitation.email,
        role: invitation.role,
        merchant: { id: merchant.id, name: merchant.name },
        has_account: person !== null,
      };
    },
  );
  app.post(
    '/v1/invitations/accept',
    {
      schema: {
        body: AcceptInvitation,
        response: { 201: AcceptedInvitation },
        tags,
        summary: 'Accept an invitation',
        description:
          'Signs a new person in. A person who has an account signs in as always. An account whose e-mail address is not verified joins only while the person is signed in.',
      },
      config: { access: 'public' },
    },
    async (request, reply) => {
      assertOwnOrigin(request, deps.publicUrl());
      return reply.code(201).send(await acceptInvitation(deps, request, reply, request.body));
    },
  );
}

function invitationToWire(row: InvitationRow): Invitation {
  const { id, email, role, created_at: createdAt, expires_at: expiresAt } = row;
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
  return { id, object: 'invitation', email, role, ...times };
}
