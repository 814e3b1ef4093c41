import { type ColumnType, type Generated, type Selectable, sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Db, Executor } from '../db/database.ts';
import { anyRow, claimDue, type DueRequest, type DueWork, moveDue } from '../db/lease.ts';
import { type Page, type PageRequest, readPage } from '../db/page.ts';
import { executePrepared } from '../db/prepared.ts';
import { insertOf, type Write } from '../db/rows.ts';
import { searchIn } from '../db/search.ts';
import type { Json, Moment, MomentOrNull } from '../db/tables.ts';
import type { Erasure } from '../erasure.ts';
import type { MerchantScope } from '../merchant.ts';
import type { OverdueWork } from '../overdue.ts';

export type MailRow = Selectable<MailsTable>;

/** A mail that only one worker may send until its lease ends. */
export interface ClaimedMail extends MailRow {
  /** The current time on the merchant's clock. */
  readonly clock: Date;
}

/** Whether the mail was sent or kept for the outbox, or may have arrived (its message ended without an answer). */
export function mayHaveArrived({ status, doubtful }: Pick<MailRow, 'status' | 'doubtful'>): boolean {
  return status === 'sent' || status === 'kept' || doubtful;
}

/** Whether a process is sending the mail at `now` on its merchant's clock. */
export function isUnderWay(
  { status, sending, due_at }: Pick<MailRow, 'status' | 'sending' | 'due_at'>,
  now: Date,
): boolean {
  return status === 'queued' && sending && due_at !== null && due_at > now;
}

/** The object that a mail is about. */
export interface MailSubject {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly type: MailResource['type'];
  readonly id: string;
}

/** A page of the mails about the object. */
export async function listMailsAbout(db: Db, subject: MailSubject, request: PageRequest): Promise<Page<MailRow>> {
  const { merchantId, livemode, type, id } = subject;
  const list = { table: 'mails', merchantId, livemode, only: { resource_type: type, resource_id: id } } as const;
  return await readPage(db, list, request);
}

/** A page of the merchant's mails. Omits mails that give access to the dashboard. */
export async function listMails(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  filter: { readonly status: string | undefined },
  request: PageRequest,
): Promise<Page<MailRow>> {
  const and = [sql<boolean>`resource_type <> all (${givingAccess}::text[])`];
  return await readPage(db, { table: 'mails', merchantId, livemode }, request, { equal: filter, and });
}

/** Reads a mail of `listMails` by its id or its deduplication key. Throws PayError `resource_missing`. */
export async function readMail(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  by: string | { readonly dedupeKey: string },
): Promise<MailRow> {
  const mails = db.selectFrom('mails').selectAll().where('merchant_id', '=', merchantId);
  const found = mails.where('livemode', '=', livemode).where('resource_type', 'not in', givingAccess);
  const row = await (typeof by === 'string'
    ? found.where('id', '=', by)
    : found.where('dedupe_key', '=', by.dedupeKey)
  ).executeTakeFirst();
  if (row !== undefined) return row;
  throw new PayError('resource_missing', 'There is no mail with this id.', { param: 'id' });
}

/** The states of the object's mails whose deduplication keys begin with `keyPrefix`. */
export async function findMailStates(
  db: Executor,
  { merchantId, livemode, type, id }: MailSubject,
  keyPrefix: string,
): Promise<Pick<MailRow, 'status' | 'doubtful' | 'sending' | 'due_at'>[]> {
  return await db
    .selectFrom('mails')
    .select(['status', 'doubtful', 'sending', 'due_at'])
    .where(({ and }) => and({ merchant_id: merchantId, livemode, resource_type: type, resource_id: id }))
    .where(sql<boolean>`starts_with(dedupe_key, ${keyPrefix})`)
    .execute();
}

/** The insert of mails that are due at once, or null without mails. Skips a mail whose key already exists. */
export async function mailInsert(db: Executor, mails: readonly NewMail[]): Promise<Write | null> {
  const rows = mails.map(({ resource, to, now, subject, content, attachments, ...mail }) => ({
    merchant_id: mail.merchantId,
    id: newId('mail'),
    livemode: mail.livemode,
    dedupe_key: mail.dedupeKey,
    resource_type: resource.type,
    resource_id: resource.id,
    to_name: to.name,
    to_email: to.email,
    reply_to: mail.replyTo,
    subject,
    content,
    attachments,
    due_at: now,
    created_at: now,
  }));
  return await insertOf(db, 'mails', rows, ['merchant_id', 'livemode', 'dedupe_key']);
}

/** Queued mails. While a process sends a mail, `due_at` is the end of its lease. */
export const queuedMails: DueWork = {
  table: 'mails',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: sql`t.status = 'queued'`,
  clock: 'merchant',
};
const plainQueuedMails: DueWork = { ...queuedMails, where: sql`t.status = 'queued' and t.attachments = '[]'` };

/** Claims due mails for one attempt, the longest overdue first. `plainOnly`: only mails without documents. */
export async function claimMails(
  db: Db,
  { plainOnly, ...request }: DueRequest & { readonly leaseSeconds: number; readonly plainOnly: boolean },
): Promise<readonly ClaimedMail[]> {
  const set = sql`attempts = t.attempts + 1, sending = true`;
  return await claimDue<MailRow>(db, plainOnly ? plainQueuedMails : queuedMails, { ...request, set });
}

/**
 * Call this before sending the end of a message, because the mail may arrive from then on. Renews the mail's lease and
 * marks the mail as doubtful. Null if the claim is over.
 */
export async function renewMail(db: Db, mail: ClaimedMail, until: Date): Promise<ClaimedMail | null> {
  const isMine = await moveDue(db, queuedMails, mail, { to: until, set: sql`doubtful = true` });
  return isMine ? { ...mail, due_at: until } : null;
}

export type MailEnd =
  | { readonly status: 'sent' | 'canceled' }
  | { readonly status: 'failed'; readonly error: string }
  /** The mail is tried again at `dueAt` on the merchant's clock. */
  | { readonly status: 'queued'; readonly error: string; readonly dueAt: Date; readonly counted: boolean };

/** Stores how the attempt ended, and `mail.doubtful`. Returns false if the claim is over. */
export async function endAttempt(db: Executor, mail: ClaimedMail, end: MailEnd): Promise<boolean> {
  const again = end.status === 'queued' ? end : null;
  return await moveDue(db, queuedMails, mail, {
    to: again?.dueAt ?? null,
    set: sql`status = ${end.status}, sending = false, doubtful = ${mail.doubtful},
      ended_at = ${again === null ? mail.clock : null}, last_error = ${'error' in end ? end.error : null},
      attempts = ${again?.counted === false ? mail.attempts - 1 : mail.attempts}`,
  });
}

/** Records that a process with a mail server is working on this database at `now` (real time). */
export async function noteMailServer(db: Db, now: Date): Promise<void> {
  await db
    .insertInto('mail_servers')
    .values({ id: 'smtp', seen_at: now })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at: now }))
    .execute();
}

export const testMails = anyRow('mails', sql`t.status = 'queued' and not t.livemode`);

/**
 * Ends queued mails of test mode without sending them, for the outbox to show. Returns their number. Does nothing if a
 * process with a mail server has worked on this database since `seenAfter` (real time).
 */
export async function keepTestMails(db: Db, seenAfter: Date, limit: number): Promise<number> {
  const keeping = sql`
    update mails m set status = 'kept', due_at = null, sending = false, ended_at = m.created_at
    from (
      select merchant_id, id, due_at from mails where not livemode and status = 'queued'
        and not exists (select from mail_servers where id = 'smtp' and seen_at > ${seenAfter}) limit ${limit}
    ) kept
    where m.merchant_id = kept.merchant_id and m.id = kept.id and m.due_at = kept.due_at`;
  return Number((await executePrepared(db, keeping)).numAffectedRows ?? 0n);
}

/** Counts mails of live mode that were due at the time `at` and are not being sent. */
export async function countWaitingMails(db: Db, at: Date): Promise<number> {
  const query = db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<string>().as('waiting'))
    .where(({ and }) => and({ status: 'queued', livemode: true }))
    .where('due_at', '<=', at);
  return Number((await executePrepared(db, query)).rows[0]?.waiting);
}

/** Deletes up to `limit` mails that ended before the time `before`. Returns their number. */
export async function deleteEndedMails(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mails m using (
      select merchant_id, id from mails where ended_at < ${before} order by ended_at limit ${limit}
    ) old where m.merchant_id = old.merchant_id and m.id = old.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** A mail in the list of the outbox. */
export type TestMailLine = Pick<
  MailRow,
  'id' | 'subject' | 'status' | 'to_name' | 'to_email' | 'attachments' | 'created_at'
>;

interface TestMailSearch {
  /** Part of the subject or of the recipient, in any case. Blank: all mails are listed. */
  readonly text: string;
  /** The mail directly before the list, or null. */
  readonly older: Pick<MailRow, 'id' | 'created_at'> | null;
  readonly limit: number;
  /** Whether the list includes mails that give access to the dashboard. */
  readonly withAccess: boolean;
}

/** Mails that give access to the dashboard: with their links, the reader chooses a password or joins a merchant. */
const givingAccess: MailResource['type'][] = ['person', 'invitation'];

/** How the search finds mails, except those that give access to the dashboard. */
export const mailSearch = searchIn('mails', {
  kind: 'mail',
  type: 'mail',
  path: '/v1/mails',
  scope: 'mails:read',
  only: sql`resource_type <> all (${givingAccess}::text[])`,
  show: row => ({ title: row.subject, subtitle: `${row.status} · ${row.to_email}`, parent: row.resource_id }),
});

/** Mails of test mode, newest first. */
export async function listTestMails(db: Db, search: TestMailSearch): Promise<TestMailLine[]> {
  const { text, older, limit, withAccess } = search;
  const has = (column: 'subject' | 'to_email' | 'to_name') =>
    sql<boolean>`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`;
  return await db
    .selectFrom('mails')
    .select(['id', 'subject', 'status', 'to_name', 'to_email', 'attachments', 'created_at'])
    .where('livemode', '=', false)
    .$if(!withAccess, query => query.where('resource_type', 'not in', givingAccess))
    .$if(text !== '', query => query.where(eb => eb.or([has('subject'), has('to_email'), has('to_name')])))
    .$if(older !== null, query => query.where(sql<boolean>`(created_at, id) < (${older?.created_at}, ${older?.id})`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** A mail of test mode, or null. */
export async function findTestMail(
  db: Db,
  { id, withAccess }: Pick<TestMailSearch, 'withAccess'> & { readonly id: string },
): Promise<MailRow | null> {
  const mails = db.selectFrom('mails').selectAll();
  const mail = await mails.where(({ and }) => and({ livemode: false, id })).executeTakeFirst();
  return mail === undefined || (!withAccess && givingAccess.includes(mail.resource_type)) ? null : mail;
}

/** Queued mails. The wait begins when a mail is created, and failed attempts do not end it. */
export async function findOverdueMails(db: Db, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(created_at) as since
    from mails where status = 'queued' and created_at <= ${now}`.execute(db);
  return rows;
}

/** A document that is drawn when the mail is sent: its kind, and the id of the object that it shows. */
export interface MailAttachment {
  readonly kind: 'invoice' | 'receipt' | 'reminder' | 'credit_note' | 'void';
  readonly id: string;
}

/** The content of a mail before its layout. Every text is plain text. */
export interface MailContent {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** The amount in large type. Null: no amount. */
  readonly amount: string | null;
  /** Details, for example the number and the date. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Notes in small type. */
  readonly notes: readonly string[];
}

interface MailResource {
  readonly type: 'invoice' | 'payment' | 'webhook_endpoint' | 'domain' | 'person' | 'invitation';
  readonly id: string;
}

interface MailsTable {
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

export interface MailText {
  /** One line, cut to 200 characters. */
  readonly subject: string;
  readonly content: MailContent;
}

export interface NewMail extends MailText {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly resource: MailResource;
  /** Mails of a merchant with the same key are sent once. Example: `invoice.sent:inv_…:1`. At most 200 characters. */
  readonly dedupeKey: string;
  readonly to: { readonly name?: string | null; readonly email: string };
  /** Documents that are drawn when the mail is sent, so that they are up to date. */
  readonly attachments: readonly MailAttachment[];
  /** The merchant's address. Null: replies go to the service's own address. */
  readonly replyTo: string | null;
  /** The current time on the merchant's clock. The mail is due at once. */
  readonly now: Date;
}

/** Deletes the mails about a customer's objects, to the customer and to the merchant. */
export const mailErasure: Erasure = {
  erase: async (tx, { merchantId }, ids) => {
    await sql`delete from mails where merchant_id = ${merchantId} and resource_id = any (${ids})`.execute(tx);
  },
};
