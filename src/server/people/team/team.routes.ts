import { Type } from 'typebox';
import { AuditEntry, CreateMerchant, NewMerchant, TeamMember, UpdateTeamMember } from '../../../api/people/team.ts';
import { Deleted, ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { insertMerchant } from '../../merchants/merchant.store.ts';
import { callerOf, personOf, scopeOf } from '../../platform/http/access/caller.ts';
import { everybody, managers } from '../../platform/http/access/roles.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { assertConfirmed } from '../confirmation.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { insertMembership, requirePerson } from '../person.store.ts';
import { queueSecurityMails, wakeMails } from '../security-mail.ts';
import { changeRole, removeMember, removeSecondFactors } from './team.service.ts';
import { type AuditRow, listMembers, type MemberRow, readAuditLog } from './team.store.ts';

const tags = ['Team'];
const config = { access: 'person', roles: managers } as const;
const IdParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** `/v1/team`, `/v1/audit-log` and `/v1/merchants`. */
export function registerTeamRoutes(app: HttpApp, deps: PeopleDeps): void {
  app.get(
    '/v1/team',
    {
      schema: { response: { 200: ListOf(TeamMember) }, tags, summary: 'List the team' },
      config: { ...config, roles: everybody },
    },
    async request => {
      const rows = await listMembers(deps.db, callerOf(request).merchant.id);
      return { object: 'list' as const, url: '/v1/team', has_more: false, data: rows.map(memberToWire) };
    },
  );
  app.patch(
    '/v1/team/:id',
    {
      schema: {
        params: IdParams,
        body: UpdateTeamMember,
        response: { 200: TeamMember },
        tags,
        summary: 'Change a role',
      },
      config,
    },
    async request => {
      const merchantId = callerOf(request).merchant.id;
      const { id } = request.params;
      await changeRole(deps, personOf(request), merchantId, id, request.body.role);
      return memberToWire(await requireMember(deps, merchantId, id));
    },
  );
  app.delete(
    '/v1/team/:id',
    {
      schema: {
        params: IdParams,
        response: { 200: Deleted },
        tags,
        summary: 'Remove a team member',
        description: 'Ends the sessions of the person at once.',
      },
      config,
    },
    async request => {
      const { id } = request.params;
      await removeMember(deps, personOf(request), callerOf(request).merchant.id, id);
      return { id, object: 'team_member', deleted: true as const };
    },
  );
  registerMerchantCreation(app, deps);
  registerFactorRemoval(app, deps);
  registerAuditLog(app, deps);
}

async function requireMember({ db }: PeopleDeps, merchantId: string, id: string): Promise<MemberRow> {
  const member = (await listMembers(db, merchantId)).find(row => row.id === id);
  if (member !== undefined) return member;
  throw new PayError('resource_missing', 'There is no team member with this id.', { param: 'id' });
}

function memberToWire(row: MemberRow): TeamMember {
  const { id, email, name, role, has_second_factor: hasFactor, created_at: since, last_seen_at: seen } = row;
  const times = { created_at: since.toISOString(), last_seen_at: seen?.toISOString() ?? null };
  return { id, object: 'team_member', email, name, role, two_factor: hasFactor, ...times };
}

/** For the operator, the person who runs the server. */
function registerMerchantCreation(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/merchants',
    {
      schema: {
        body: CreateMerchant,
        response: { 201: NewMerchant },
        tags,
        summary: 'Create a merchant',
        description: 'For the operator, who becomes its owner. Send its id as `Pay-Merchant` to work for it.',
      },
      config: { ...config, roles: everybody },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const { personId } = assertOperator(personOf(request));
        const merchant = { id: newId('account'), name: request.body.name.trim() };
        const now = deps.clock.now();
        const answer = await execution.commit(async tx => {
          await insertMerchant(tx, { ...merchant, clientAmounts: deps.config.network !== 'public' });
          await insertMembership(tx, merchant.id, personId, 'owner', now);
          const person = await requirePerson(tx, personId);
          await queueSecurityMails(deps, tx, { person, merchant, notices: ['owner'] });
          const body = { ...merchant, object: 'merchant', role: 'owner', created_at: now.toISOString() };
          return { status: 201, body, resourceId: merchant.id };
        });
        wakeMails(deps);
        return answer;
      }),
  );
}

function registerFactorRemoval(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/team/:id/remove-second-factors',
    {
      schema: {
        params: IdParams,
        response: { 200: TeamMember },
        tags,
        summary: 'Remove codes and passkeys of a team member',
        description: 'For the operator, when a person lost the phone. Ends the sessions of the person.',
      },
      config,
    },
    (request, reply) =>
      deps.once(request, reply, async () => {
        const merchantId = callerOf(request).merchant.id;
        const person = assertOperator(personOf(request));
        await assertConfirmed(deps, person);
        const { id } = await requireMember(deps, merchantId, request.params.id);
        await removeSecondFactors(deps, person, id);
        return { status: 200, body: memberToWire(await requireMember(deps, merchantId, id)) };
      }),
  );
}

function assertOperator<Person extends { readonly isOperator: boolean }>(person: Person): Person {
  if (person.isOperator) return person;
  throw new PayError('role_not_allowed', 'Only the operator, the first owner of this server, may do this.');
}

function registerAuditLog(app: HttpApp, deps: PeopleDeps): void {
  app.get(
    '/v1/audit-log',
    {
      schema: {
        querystring: ListQuery,
        response: { 200: ListOf(AuditEntry) },
        tags,
        summary: 'Read the audit log',
        description: 'The writes of people in the dashboard, in the mode of the request, the newest first.',
      },
      config,
    },
    async request => {
      const { page, people } = await readAuditLog(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query));
      return listAnswer('/v1/audit-log', page, row => entryToWire(row, people.get(row.person_id)));
    },
  );
}

function entryToWire(
  row: AuditRow,
  person?: { readonly name: string | null; readonly email: string | null },
): AuditEntry {
  const { id, action, method, path, status, network, livemode } = row;
  return {
    id,
    object: 'audit_entry',
    action,
    path,
    status,
    network,
    livemode,
    method: method as AuditEntry['method'],
    person: { id: row.person_id, name: person?.name ?? null, email: person?.email ?? null },
    user_agent: row.user_agent,
    request_id: row.request_id,
    created_at: row.created_at.toISOString(),
  };
}
