import { type ListParams, listOf } from '../pages.ts';
import type { Settlement } from '../settlement.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.settlements`: payouts of completed payments to the account's `settlement.destination`. */
export function settlements(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/settlements';
  return {
    retrieve: (id: string, options?: Options) => get<Settlement>(`${all}/${pathId(id)}`, options),
    list: (params?: ListParams, options?: Options) => listOf<Settlement>(transport, all, params, options),
    /** Pays a failed or returned settlement again, from the balance to the current destination. */
    retry: (id: string, options?: Options) => post<Settlement>(`${all}/${pathId(id)}/retry`, undefined, options),
    /** Keeps the money of a settlement in the available balance, for good. */
    keep: (id: string, options?: Options) => post<Settlement>(`${all}/${pathId(id)}/keep`, undefined, options),
  };
}
