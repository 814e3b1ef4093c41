import { Type } from 'typebox';
import { CreateDomain, Domain } from '../../api/dashboard/domain.ts';
import { Deleted, ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { parseHostName } from '../../core/web-address.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { type DomainSweepDeps, recordCheck } from './domain.service.ts';
import { deleteDomain, findPrimary, insertDomain, listDomains, readDomain } from './domain.store.ts';
import { firstCheckAt } from './domain.ts';
import { domainToWire } from './domain.view.ts';
import { checkDns, isLocalhost, targetOf } from './domain-check.ts';

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
        const now = deps.clock.now();
        const domain = {
          ...{ merchant_id: merchant.id, id: newId('domain'), livemode, name: allowedName(deps, request.body.name) },
          ...{ created_at: now, check_at: firstCheckAt(now) },
        };
        return execution.commit(async tx => ({
          status: 201,
          body: domainToWire(deps, await insertDomain(tx, domain), null),
          location: `${path}/${domain.id}`,
          resourceId: domain.id,
        }));
      }),
  );
}

/** Throws PayError `parameter_invalid` for a name that no merchant can have. */
function allowedName({ publicUrl, allowLocalhost }: DomainRouteDeps, text: string): string {
  const name = parseHostName(text);
  const refuse = (message: string) => new PayError('parameter_invalid', `name ${message}`, { param: 'name' });
  if (name === null) throw refuse('takes a host name like pay.shop.example, without https:// and path.');
  if (name === targetOf(publicUrl())) throw refuse('is the address of this service. Use a domain of your own.');
  if (isLocalhost(name) && !allowLocalhost) throw refuse('ends in .localhost, which only the sandbox accepts.');
  return name;
}

function registerReads(app: HttpApp, deps: DomainRouteDeps): void {
  app.get(
    path,
    {
      schema: { querystring: ListQuery, response: { 200: ListOf(Domain) }, tags, summary: 'List domains' },
      config: reading,
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      const page = await listDomains(deps.db, scope, parseListQuery(request.query));
      const primary = await findPrimary(deps.db, scope.merchantId);
      return listAnswer(path, page, row => domainToWire(deps, row, primary));
    },
  );
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: Domain }, tags, summary: 'Read a domain' }, config: reading },
    async request => {
      const scope = scopeOf(callerOf(request));
      const row = await readDomain(deps.db, scope, request.params.id);
      return domainToWire(deps, row, await findPrimary(deps.db, scope.merchantId));
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
        const scope = scopeOf(callerOf(request));
        const row = await readDomain(deps.db, scope, request.params.id);
        const failure = await checkDns(deps, row);
        const answer = await execution.commit(async tx => {
          const stored = await recordCheck(tx, deps, row, failure);
          const current = stored ?? (await readDomain(tx, scope, row.id));
          const primary = await findPrimary(tx, scope.merchantId);
          return { status: 200, body: domainToWire(deps, current, primary), resourceId: row.id };
        });
        await deps.hosts.refresh(scope.merchantId);
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
      const scope = scopeOf(callerOf(request));
      await deps.db.transaction().execute(tx => deleteDomain(tx, scope, request.params.id));
      await deps.hosts.refresh(scope.merchantId);
      return { id: request.params.id, object: 'domain', deleted: true as const };
    },
  );
}
