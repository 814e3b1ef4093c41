import type { FastifyRequest } from 'fastify';
import type {} from '../../../server/platform/http/access/caller.ts';
import type { Faults } from '../faults.ts';
import type { Horizon } from './horizon.ts';
import { createHorizonRequest, type HorizonRequest } from './horizon-request.ts';

/** What Horizon’s address stands on. */
export interface HorizonRouteDeps {
  /** Loads the network on first use. */
  readonly horizon: () => Promise<Horizon>;
  readonly faults: Faults;
  readonly log: { error(details: object, message: string): void };
}

/** Where Horizon is, below the service’s own address. */
export const horizonPrefix = '/sandbox/horizon';

/** Hidden from the API’s documentation; anybody may ask, and the service itself does so all the time. */
export const routeOptions = { schema: { hide: true }, config: { access: 'public', chatty: true } } as const;

/** Reads the request, with the address of Horizon as the client spelt it. */
export function readRequest(request: FastifyRequest): HorizonRequest {
  const url = new URL(request.url, 'http://sandbox');
  return createHorizonRequest({
    base: `${request.protocol}://${request.host}${horizonPrefix}`,
    path: url.pathname.slice(horizonPrefix.length) || '/',
    query: url.searchParams,
    params: request.params as Readonly<Record<string, string>>,
  });
}
