import { Type } from 'typebox';
import { CreateDomain, Domain } from '../../api/dashboard/domain.ts';
import { Deleted, ListOf, ListQuery } from '../../api/schema.ts';
import { callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { newDomain } from './custom-domain.ts';
import { type DomainSweepDeps, recordCheck } from './domain.service.ts';
import { deleteDomain, findPrimary, insertDomain, listDomains, readDomain } from './domain.store.ts';
import { domainToWire } from './domain.view.ts';
import { checkDns } from './domain-check.ts';

export interface DomainRouteDeps extends DomainSweepDeps {
  readonly once: Once;
}

const tags = ['Domains'];
const reading = { access: 'secret', scope: 'account:read' } as const;
const writing = { access: 'secret', scope: 'account:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const path = '/v1/domains';

/** The calls under `/v1/domains`. */
export function registerDomainRoutes(app: HttpApp, deps: DomainRouteDeps): void {
  registerCreate(app, deps);
  registerReads(app, deps);
  registerVerify(app, deps);
  registerDelete(app, deps);
}

function registerCreate(app: HttpApp, deps: DomainRouteDeps): void {
  app.post(
    path,
    {
      schema: {
        body: CreateDomain,
        response: { 201: Domain },
        tags,
        summary: 'Add a domain',
        description:
          'Create the two `dns_records` at your DNS provider. The service checks them for seven days, or at once by `verify`.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const { merchant, livemode } = callerOf(request);
        const domain = newDomain(deps, { merchantId: merchant.id, livemode }, request.body.name, 'name');
        return execution.commit(async tx => ({
          status: 201,
          body: domainToWire(deps, await insertDomain(tx, domain), null),
          location: `${path}/${domain.id}`,
          resourceId: domain.id,
        }));
      }),
  );
}

function registerReads(app: HttpApp, deps: DomainRouteDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: ListQuery,
        response: { 200: ListOf(Domain) },
        tags,
        summary: 'List domains',
        description: 'Test and live mode share the domains of the account, as all its settings.',
      },
      config: reading,
    },
    async request => {
      const { merchant } = callerOf(request);
      const page = await listDomains(deps.db, merchant.id, parseListQuery(request.query));
      const primary = await findPrimary(deps.db, merchant.id);
      return listAnswer(path, page, row => domainToWire(deps, row, primary));
    },
  );
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: Domain }, tags, summary: 'Read a domain' }, config: reading },
    async request => {
      const { merchant } = callerOf(request);
      const row = await readDomain(deps.db, merchant.id, request.params.id);
      return domainToWire(deps, row, await findPrimary(deps.db, merchant.id));
    },
  );
}

function registerVerify(app: HttpApp, deps: DomainRouteDeps): void {
  app.post(
    `${path}/:id/verify`,
    {
      schema: {
        params,
        response: { 200: Domain },
        tags,
        summary: 'Check a domain',
        description:
          'Checks the DNS records now. `failure` names what is missing. A failed domain becomes pending again.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const { id: merchantId } = callerOf(request).merchant;
        const row = await readDomain(deps.db, merchantId, request.params.id);
        const failure = await checkDns(deps, row);
        const answer = await execution.commit(async tx => {
          const stored = await recordCheck(tx, deps, row, failure);
          const current = stored ?? (await readDomain(tx, merchantId, row.id));
          const primary = await findPrimary(tx, merchantId);
          return { status: 200, body: domainToWire(deps, current, primary), resourceId: row.id };
        });
        await deps.hosts.refresh(merchantId);
        return answer;
      }),
  );
}

function registerDelete(app: HttpApp, deps: DomainRouteDeps): void {
  app.delete(
    `${path}/:id`,
    {
      schema: {
        params,
        response: { 200: Deleted },
        tags,
        summary: 'Remove a domain',
        description: 'Addresses with this name stop working. Those with the service’s own name keep working.',
      },
      config: writing,
    },
    async request => {
      const { id: merchantId } = callerOf(request).merchant;
      await deps.db.transaction().execute(tx => deleteDomain(tx, merchantId, request.params.id));
      await deps.hosts.refresh(merchantId);
      return { id: request.params.id, object: 'domain', deleted: true as const };
    },
  );
}
