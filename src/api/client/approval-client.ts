import type { Approval } from '../balance/approval.ts';
import { type ListParams, listOf } from '../pages.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.approvals`: money that waits for a second person, and money that left without one. */
export function approvals(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/approvals';
  const step = (id: string, name: 'approve' | 'cancel', options: Options) =>
    post<Approval>(`${all}/${pathId(id)}/${name}`, undefined, options);
  return {
    /** Filters: `status`, `kind`, and `subject`, the id of the object. */
    list: (params?: ListParams, options?: Options) => listOf<Approval>(transport, all, params, options),
    retrieve: (id: string, options?: Options) => get<Approval>(`${all}/${pathId(id)}`, options),
    /** Sends the money. Fails with `approval_required` for the person that asked, and for a key of this person. */
    approve: (id: string, options?: Options) => step(id, 'approve', options),
    /** Makes the money available again. */
    cancel: (id: string, options?: Options) => step(id, 'cancel', options),
  };
}
