import { Type } from 'typebox';
import { PayError } from '../../core/error.ts';
import type { PageHosts } from '../platform/http/access/page-hosts.ts';
import type { HttpApp } from '../platform/http/http-app.ts';

/** The path that the example Caddyfile names (docs/deploy). */
export const certificatePath = '/domains/certificate';

const querystring = Type.Object({ domain: Type.String({ maxLength: 300 }) });

/**
 * `/domains/certificate?domain=`: tells a reverse proxy whether it may obtain a certificate for the host name (Caddy's
 * `on_demand_tls ask`). Answers 200 only for active domains, whose records were checked. The route reads memory only,
 * so requests with invented names cause no database queries.
 */
export function registerCertificateRoute(app: HttpApp, { hosts }: { readonly hosts: PageHosts }): void {
  app.get(
    certificatePath,
    { config: { access: 'public', chatty: true }, schema: { querystring, hide: true } },
    async (request, reply) => {
      if (hosts.merchantOf(request.query.domain) !== null) return reply.code(200).send();
      throw new PayError('resource_missing', 'No merchant has this domain.', { param: 'domain' });
    },
  );
}
