import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../schema.ts';

/** A mail about an invoice and its delivery. It is deleted 90 days after it was sent, kept, canceled or given up. */
export const InvoiceMail = Type.Object({
  id: Type.String(),
  object: Type.Literal('invoice_mail'),
  invoice: Type.String(),
  kind: OneOf(['invoice', 'reminder', 'receipt', 'credit_note', 'void']),
  to: Type.String(),
  subject: Type.String({ description: 'Subject of the mail as written.' }),
  status: OneOf(['queued', 'sent', 'kept', 'canceled', 'failed'], {
    description:
      '`queued`: waits for its first or next attempt; `sent`: the mail server accepted it; `kept`: test mode without ' +
      'a mail server; `canceled`: its reason ended before sending; `failed`: no further attempts.',
  }),
  error: Nullable(Type.String(), 'The mail server’s last error, without addresses.'),
  sent_at: Nullable(Timestamp),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type InvoiceMail = Static<typeof InvoiceMail>;
