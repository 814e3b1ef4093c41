import * as domainSchemas from '../../api/dashboard/domain.ts';
import { attentionIn } from '../platform/db/attention.ts';
import type { Live } from '../platform/events/live.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { registerCertificateRoute } from './certificate.routes.ts';
import { type CustomDomain, createCustomDomain } from './custom-domain.ts';
import { createDns, type Dns } from './dns.ts';
import { type DomainRouteDeps, registerDomainRoutes } from './domain.routes.ts';
import { domainSweep } from './domain.service.ts';
import { createDomainDirectory, type DomainDirectory } from './domain-directory.ts';

interface DomainServices {
  readonly hosts: DomainDirectory;
  readonly dns: Dns;
  readonly customDomain: CustomDomain;
}

interface Deps extends Omit<DomainRouteDeps, 'hosts'>, Pick<DomainServices, 'hosts'> {
  readonly live: Live;
  readonly log: Log;
}

/** Merchants' own host names for their hosted pages. */
export const domains = defineModule<Deps, { services: DomainServices }>({
  name: 'domains',
  provides: { hosts: createDomainDirectory, dns: createDns, customDomain: createCustomDomain },
  tables: ['domains'],
  schemas: schemasIn(domainSchemas),
  tags: { Domains: 'Your own host names for checkout pages, payment links and invoices.' },
  attention: { domains_failed: attentionIn('domains', { status: ['failed'] }, '/v1/domains') },
  routes: (app, deps) => {
    registerDomainRoutes(app, deps);
    registerCertificateRoute(app, deps);
  },
  sweeps: deps => [domainSweep(deps)],
  start: ({ hosts }) => hosts.load(),
  stop: ({ hosts }) => hosts.close(),
});
