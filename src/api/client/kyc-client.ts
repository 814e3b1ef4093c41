import type { ApproveKyc, Kyc, KycFile, KycValues, RejectKyc, RequestMoreKyc, UpdateKyc } from '../kyc/kyc.ts';
import { type ListParams, listOf } from '../pages.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.kyc`: identity checks, by the id of their customer. */
export function kyc(transport: Transport) {
  const { get, post, put, remove } = verbs(transport);
  const at = (customerId: string) => `/v1/customers/${pathId(customerId)}/kyc`;
  return {
    retrieve: (customerId: string, options?: Options) => get<Kyc>(at(customerId), options),
    list: (params?: ListParams, options?: Options) => listOf<Kyc>(transport, '/v1/kyc', params, options),
    /** Merges fields by their names in SEP-9. With `ramps.kyc: platform`, `status` is your own decision. */
    update: (customerId: string, body: UpdateKyc, options?: Options) => put<Kyc>(at(customerId), body, options),
    /** Sends files with other fields, by their names in SEP-9. */
    upload: (customerId: string, form: FormData, options?: Options) => put<Kyc>(at(customerId), form, options),
    files: (customerId: string, options?: Options) =>
      get<{ readonly data: readonly KycFile[] }>(`${at(customerId)}/files`, options),
    /** The content of a file. The audit log has each look of a person. */
    file: (customerId: string, fileId: string, options?: Options) => {
      const path = `${at(customerId)}/files/${pathId(fileId)}`;
      return transport.call<ArrayBuffer>({ method: 'GET', path, isFile: true }, options);
    },
    deleteFile: (customerId: string, fileId: string, options?: Options) =>
      remove<Kyc>(`${at(customerId)}/files/${pathId(fileId)}`, options),
    /** The values of the given fields. */
    reveal: (customerId: string, options?: Options) => post<KycValues>(`${at(customerId)}/reveal`, undefined, options),
    /** Decisions of people in the dashboard. */
    approve: (customerId: string, body: ApproveKyc = {}, options?: Options) =>
      post<Kyc>(`${at(customerId)}/approve`, body, options),
    requestMore: (customerId: string, body: RequestMoreKyc, options?: Options) =>
      post<Kyc>(`${at(customerId)}/request_more`, body, options),
    reject: (customerId: string, body: RejectKyc, options?: Options) =>
      post<Kyc>(`${at(customerId)}/reject`, body, options),
  };
}
