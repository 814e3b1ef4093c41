import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../schema.ts';

/** A mail to a payer, a customer or the merchant. It is deleted 90 days after `ended_at`. */
export const Mail = Type.Object({
  id: Type.String(),
  object: Type.Literal('mail'),
  resource: Type.String({ description: 'Id of the object that the mail is about.' }),
  to: Type.String({ description: 'E-mail address of the recipient.', examples: ['ada@example.com'] }),
  to_name: Nullable(Type.String(), 'Name of the recipient.'),
  subject: Type.String({ description: 'Subject of the mail.', examples: ['Invoice INV-7 from Nordlys Supply'] }),
  status: OneOf(['queued', 'sent', 'kept', 'canceled', 'failed'], {
    description:
      '`queued`: waits for its first or next attempt; `sent`: the mail server accepted it; `kept`: test mode without ' +
      'a mail server; `canceled`: its reason ended before sending; `failed`: no further attempts.',
  }),
  attempts: Type.Integer({ minimum: 0 }),
  documents: Type.Integer({ minimum: 0, description: 'Number of attached documents.' }),
  error: Nullable(Type.String(), 'The mail server’s last error, without addresses.'),
  ended_at: Nullable(Timestamp, 'When the mail was sent, kept, canceled or given up; null before.'),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Mail = Static<typeof Mail>;

/** A mail with its content. */
export const MailDetails = Type.Object({
  ...Mail.properties,
  text: Type.String({ description: 'The mail as plain text.', examples: ['Thank you for your order.'] }),
  html_url: Type.String({
    description: 'Shows the mail as HTML for ten minutes, to everyone who has the address. Nothing in it runs.',
    examples: ['/v1/mails/mail_8GKYqrTwjUPD8ILPZIo2La/html?token=…'],
  }),
});
export type MailDetails = Static<typeof MailDetails>;

/** A sample mail, for a preview of the branding. */
export const MailSample = Type.Object({
  object: Type.Literal('mail_sample'),
  html_url: Type.String({
    description: 'Shows the sample as HTML for ten minutes.',
    examples: ['/v1/mails/sample/html?token=…'],
  }),
});
export type MailSample = Static<typeof MailSample>;
