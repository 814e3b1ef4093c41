import type { Mail, MailDetails, MailSample } from '../dashboard/mail.ts';
import { type ListParams, listOf } from '../pages.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.mails`: mails to payers, customers and the merchant, with their state. */
export function mails(transport: Transport) {
  const { get, post } = verbs(transport);
  const at = (id: string) => `/v1/mails/${pathId(id)}`;
  return {
    list: (params?: ListParams, options?: Options) => listOf<Mail>(transport, '/v1/mails', params, options),
    /** The mail with its text, and the URL of its HTML. */
    retrieve: (id: string, options?: Options) => get<MailDetails>(at(id), options),
    /** A sample mail in the account's branding, optionally with another accent colour. */
    sample: (query: { primary_color?: string } = {}, options?: Options) =>
      get<MailSample>(`/v1/mails/sample?${new URLSearchParams(query)}`, options),
    /** Sends the same text to the same address as a new mail. */
    resend: (id: string, options?: Options) => post<Mail>(`${at(id)}/resend`, undefined, options),
  };
}
