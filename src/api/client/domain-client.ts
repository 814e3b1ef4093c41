import type { Static } from 'typebox';
import type { CreateDomain, Domain } from '../dashboard/domain.ts';
import { type ListParams, listOf } from '../pages.ts';
import type { Deleted } from '../schema.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.domains`: the merchant's own host names for its pages. */
export function domains(transport: Transport) {
  const { get, post, remove } = verbs(transport);
  const all = '/v1/domains';
  const at = (id: string) => `${all}/${pathId(id)}`;
  return {
    /** Adds a domain. The answer lists the DNS records to create. */
    create: (body: CreateDomain, options?: Options) => post<Domain>(all, body, options),
    retrieve: (id: string, options?: Options) => get<Domain>(at(id), options),
    list: (params?: ListParams, options?: Options) => listOf<Domain>(transport, all, params, options),
    /** Checks the DNS records now. */
    verify: (id: string, options?: Options) => post<Domain>(`${at(id)}/verify`, undefined, options),
    /** Removes a domain. Addresses with its name stop working. */
    delete: (id: string, options?: Options) => remove<Static<typeof Deleted>>(at(id), options),
  };
}
