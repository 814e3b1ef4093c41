import type { ColumnType, Generated } from 'kysely';
import type { Json, Moment, MomentOrNull } from '../db/column.ts';

/** A document that goes with a mail, drawn when the mail is sent: what it is, and the id of what it shows. */
export interface MailAttachment {
  readonly kind: 'invoice' | 'receipt' | 'reminder' | 'credit_note' | 'void';
  readonly id: string;
}

/** What a mail says, before it is laid out. Every text is plain text. */
export interface MailContent {
  /** Language tag of the sentences, and how they run. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** The sum it is about, shown large; null: none. */
  readonly amount: string | null;
  /** What is worth a line of its own, for example the number and the date. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Small print. */
  readonly notes: readonly string[];
}

/** The object that a mail is about. */
export interface MailResource {
  readonly type: 'invoice' | 'webhook_endpoint';
  readonly id: string;
}

/** Columns of `mails`. */
export interface MailsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  resource_type: MailResource['type'];
  resource_id: string;
  dedupe_key: string;
  to_name: string | null;
  to_email: string;
  reply_to: string | null;
  subject: string;
  content: Json<MailContent>;
  attachments: Json<MailAttachment[]>;
  status: Generated<'queued' | 'sent' | 'kept' | 'canceled' | 'failed'>;
  due_at: MomentOrNull;
  attempts: Generated<number>;
  sending: Generated<boolean>;
  doubtful: Generated<boolean>;
  last_error: ColumnType<string | null, string | null | undefined, string | null>;
  ended_at: MomentOrNull;
  created_at: Moment;
}

/** Columns of `mail_servers`. */
interface MailServersTable {
  id: string;
  seen_at: Date;
}

declare module '../db/tables.ts' {
  interface Tables {
    mails: MailsTable;
    mail_servers: MailServersTable;
  }
}

/** Subject and content of a mail. */
export interface MailText {
  /** One line; longer than 200 characters it is cut. */
  readonly subject: string;
  readonly content: MailContent;
}

/** A mail to be sent. */
export interface NewMail extends MailText {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** The object that the mail is about, by its type on the wire: `{ type: 'invoice', id: 'inv_…' }`. */
  readonly resource: MailResource;
  /** Of two mails of a merchant with the same key one is sent, for example `invoice.sent:inv_…:1`. At most 200 characters. */
  readonly dedupeKey: string;
  readonly to: { readonly name?: string | null; readonly email: string };
  /** Documents that are drawn when the mail is sent, so that they show how things stand then; the mail then says the same. */
  readonly attachments: readonly MailAttachment[];
  /** Where answers go: the merchant; null: nowhere but to the service's own address. */
  readonly replyTo: string | null;
  /** The merchant's clock: the mail is due at once. */
  readonly now: Date;
}
