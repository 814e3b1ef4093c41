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
