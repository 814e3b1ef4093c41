import * as domainSchemas from '../../api/dashboard/domain.ts';
import { attentionIn } from '../platform/db/attention.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { registerCertificateRoute } from './certificate.routes.ts';
import { type DomainRouteDeps, registerDomainRoutes } from './domain.routes.ts';
import { domainSweep } from './domain.service.ts';
import type { DomainDirectory } from './domain-directory.ts';

/** Merchants' own host names for their hosted pages. */
export const domains = defineModule<Omit<DomainRouteDeps, 'hosts'> & { readonly hosts: DomainDirectory }>({
  name: 'domains',
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
