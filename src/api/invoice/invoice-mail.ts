import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../schema.ts';

/** A mail about an invoice and its delivery. It is deleted 90 days after it was sent or failed. */
export const InvoiceMail = Type.Object({
  id: Type.String(),
  object: Type.Literal('invoice_mail'),
  invoice: Type.String(),
  kind: OneOf(['invoice', 'reminder', 'receipt', 'credit_note', 'void']),
  to: Type.String(),
  subject: Type.String({ description: 'As it was when the mail was written.' }),
  status: OneOf(['queued', 'sent', 'kept', 'canceled', 'failed'], {
    description:
      '`queued`: waits, or is tried again; `sent`: the mail server took it; `kept`: of test mode, there is no mail server; `canceled`: what it was about was over before it left; `failed`: given up.',
  }),
  error: Nullable(Type.String(), 'What the last attempt met: the words of the mail server, without addresses.'),
  sent_at: Nullable(Timestamp),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type InvoiceMail = Static<typeof InvoiceMail>;
