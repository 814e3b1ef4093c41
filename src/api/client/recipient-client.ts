import type { Static } from 'typebox';
import { type ListParams, listOf } from '../pages.ts';
import type { CreateRecipient, Recipient, RecipientImport, UpdateRecipient } from '../recipient.ts';
import type { Deleted } from '../schema.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.recipients`: people and businesses that are paid, with their destinations. */
export function recipients(transport: Transport) {
  const { get, post, patch, remove } = verbs(transport);
  const all = '/v1/recipients';
  const at = (id: string) => `${all}/${pathId(id)}`;
  return {
    create: (body: CreateRecipient, options?: Options) => post<Recipient>(all, body, options),
    retrieve: (id: string, options?: Options) => get<Recipient>(at(id), options),
    list: (params?: ListParams, options?: Options) => listOf<Recipient>(transport, all, params, options),
    /** Changes a recipient. Absent fields stay unchanged. `destinations` replaces all destinations. */
    update: (id: string, body: UpdateRecipient, options?: Options) => patch<Recipient>(at(id), body, options),
    delete: (id: string, options?: Options) => remove<Static<typeof Deleted>>(at(id), options),
    /** Imports a CSV file of up to 10,000 rows. An invalid row rejects the file; with `skip_invalid` it is skipped. */
    import: (csv: string, { onError }: { onError?: 'reject_all' | 'skip_invalid' } = {}, options?: Options) => {
      const path = `${all}/import${onError === undefined ? '' : `?on_error=${onError}`}`;
      return transport.call<RecipientImport>({ method: 'POST', path, body: csv, contentType: 'text/csv' }, options);
    },
  };
}
