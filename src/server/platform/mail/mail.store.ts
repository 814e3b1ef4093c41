import { type Selectable, sql } from 'kysely';
import { newId } from '../../../core/id.ts';
import { booleanArray, textArray, timestampArray } from '../db/array-parameter.ts';
import type { Db, Executor } from '../db/database.ts';
import { dueRows } from '../db/due.ts';
import type { MailsTable } from '../db/tables/mail-tables.ts';
import type { NewMail } from './mail.ts';

/** A mail as the database holds it. */
export type MailRow = Selectable<MailsTable>;

/** A mail that is one worker's own until its lease ends. */
export interface ClaimedMail extends MailRow {
  /** The present moment of its merchant. */
  readonly clock: Date;
}

/** Whether the mail has arrived, or may have: the end of its message was sent, and nobody knows what came of it. */
export function mayHaveArrived({ status, doubtful }: Pick<MailRow, 'status' | 'doubtful'>): boolean {
  return status === 'sent' || status === 'kept' || doubtful;
}

/** Mails that a process has now: what becomes of them is known at the latest when its lease is over. A mark is no lease. */
export const isUnderWay = sql<boolean>`(status = 'queued' and attempts > 0 and coalesce(leased_until > now(), false))`;

/** Writes the mails as due at once; those whose key is taken are left out. */
export async function insertMails(tx: Executor, mails: readonly NewMail[]): Promise<void> {
  const texts = (of: (mail: NewMail) => string | null) => textArray(mails.map(of));
  await sql`
    insert into mails (merchant_id, id, livemode, dedupe_key, to_name, to_email, reply_to, subject, content,
      attachments, due_at, created_at)
    select merchant_id, id, livemode, dedupe_key, to_name, to_email, reply_to, subject, content::json,
      attachments::jsonb, now, now
    from unnest(
      ${texts(mail => mail.merchantId)}::text[], ${texts(() => newId('mail'))}::text[],
      ${booleanArray(mails.map(mail => mail.livemode))}::bool[], ${texts(mail => mail.dedupeKey)}::text[],
      ${texts(mail => mail.to.name ?? null)}::text[], ${texts(mail => mail.to.email)}::text[],
      ${texts(mail => mail.replyTo)}::text[], ${texts(mail => mail.subject)}::text[],
      ${texts(mail => JSON.stringify(mail.content))}::text[],
      ${texts(mail => JSON.stringify(mail.attachments))}::text[],
      ${timestampArray(mails.map(mail => mail.now))}::timestamptz[]
    ) as new (merchant_id, id, livemode, dedupe_key, to_name, to_email, reply_to, subject, content, attachments, now)
    on conflict (merchant_id, livemode, dedupe_key) do nothing`.execute(tx);
}

/** Which mails are claimed. */
interface Claim {
  readonly now: Date;
  readonly limit: number;
  /** How long they are the claimer's own. */
  readonly leaseSeconds: number;
  /** Only those that no document goes with. */
  readonly plainOnly: boolean;
}

/** Takes mails that are due and nobody's, oldest first. */
export async function claimMails(db: Db, { now, limit, leaseSeconds, plainOnly }: Claim): Promise<ClaimedMail[]> {
  const due = dueRows({
    table: 'mails',
    dueAt: 'due_at',
    columns: ['merchant_id', 'id'],
    where: sql`t.status = 'queued' and (t.leased_until is null or t.leased_until <= now())
      ${plainOnly ? sql`and t.attachments = '[]'` : sql``}`,
    now,
    limit,
  });
  const { rows } = await sql<ClaimedMail>`
    with ${due}
    update mails t set attempts = t.attempts + 1,
      leased_until = now() + make_interval(secs => ${leaseSeconds})
    from due where t.merchant_id = due.merchant_id and t.id = due.id
    returning t.*, due.clock`.execute(db);
  return rows;
}

/**
 * Whether the mail is still this attempt's own for another `atLeast` seconds; then it stays so for `seconds`, and may have arrived
 * until `endAttempt` says how it ended: from now on nobody else could tell.
 */
export async function prolongLease(
  db: Db,
  mail: ClaimedMail,
  { atLeast, seconds }: { readonly atLeast: number; readonly seconds: number },
): Promise<boolean> {
  const fromNow = (secs: number) => sql<Date>`now() + make_interval(secs => ${secs})`;
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ leased_until: fromNow(seconds), doubtful: true })
    .where('merchant_id', '=', mail.merchant_id)
    .where('id', '=', mail.id)
    .where('status', '=', 'queued')
    .where('attempts', '=', mail.attempts)
    .where('leased_until', '>', fromNow(atLeast))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** How an attempt ended. */
export type MailEnd =
  | { readonly status: 'sent' | 'canceled' }
  | { readonly status: 'failed'; readonly error: string }
  /** To be tried again at `dueAt` on the merchant's clock. */
  | { readonly status: 'queued'; readonly error: string; readonly dueAt: Date; readonly counted: boolean };

/**
 * Writes how the attempt ended and returns true; nothing, and false, when another attempt has begun since. `mail.doubtful` is
 * whether the mail may have arrived after all: as it was claimed, an answer to this attempt leaves the doubt of earlier ones.
 */
export async function endAttempt(db: Executor, mail: ClaimedMail, end: MailEnd): Promise<boolean> {
  const again = end.status === 'queued' ? end : null;
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({
      status: end.status,
      leased_until: null,
      doubtful: mail.doubtful,
      due_at: again?.dueAt ?? null,
      ended_at: again === null ? mail.clock : null,
      last_error: 'error' in end ? end.error : null,
      attempts: again?.counted === false ? mail.attempts - 1 : mail.attempts,
    })
    .where('merchant_id', '=', mail.merchant_id)
    .where('id', '=', mail.id)
    .where('status', '=', 'queued')
    .where('attempts', '=', mail.attempts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A mark is renewed when it is so old. */
const markSeconds = 600;

/** Marks all mails that wait as seen by a process with a mail server: by a lease that is over. */
export async function markMails(db: Db): Promise<void> {
  // Several processes mark and claim at once: who waits for nobody waits in no circle.
  await sql`
    update mails m set leased_until = now()
    from (
      select merchant_id, id from mails
      where status = 'queued'
        and (leased_until is null or leased_until < now() - make_interval(secs => ${markSeconds}))
      for update skip locked
    ) old
    where m.merchant_id = old.merchant_id and m.id = old.id`.execute(db);
}

/** Processes with a mail server try a mail that is due, or mark it, long before so many seconds are over. */
const abandonedSeconds = 3_600;

/**
 * Mails `l` of test mode, of merchants `c`, that no process with a mail server has seen: it would have tried them, or left the
 * mark of `markMails`. Or none has any more: they have been due for long, and were neither tried nor marked since.
 */
const lone = (now: Date) => sql<boolean>`not l.livemode and l.status = 'queued' and (
  (l.attempts = 0 and l.leased_until is null and l.last_error is null)
  or (l.due_at < ${now}::timestamptz + c.test_clock_offset_ms * interval '1 millisecond'
      - make_interval(secs => ${abandonedSeconds})
    and (l.leased_until is null or l.leased_until < now() - make_interval(secs => ${abandonedSeconds}))))`;

/** Mails of test mode that are nobody's, oldest first. `now` is the real time. */
export async function findLoneMails(
  db: Db,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from mails l join merchants c on c.id = l.merchant_id
    where ${lone(now)} order by l.due_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Without a mail server: comes to an end with those of the mails that are still nobody's, and returns how many that were. */
export async function keepMails(
  db: Db,
  { now, ids }: { readonly now: Date; readonly ids: readonly string[] },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update mails m set status = 'kept', due_at = null, leased_until = null, ended_at = m.created_at
    from (
      select l.merchant_id, l.id from mails l join merchants c on c.id = l.merchant_id
      where l.id = any(${textArray(ids)}::text[]) and ${lone(now)} for update of l skip locked
    ) kept
    where m.merchant_id = kept.merchant_id and m.id = kept.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Mails of live mode that were due at the moment and are nobody's now. */
export async function countWaitingMails(db: Db, at: Date): Promise<number> {
  const { waiting } = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<string>().as('waiting'))
    .where('status', '=', 'queued')
    .where('livemode', '=', true)
    .where('due_at', '<=', at)
    .where(sql<boolean>`(leased_until is null or leased_until <= now())`)
    .executeTakeFirstOrThrow();
  return Number(waiting);
}

/** Deletes up to `limit` mails that came to an end before the moment, and returns how many. */
export async function deleteEndedMails(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mails m using (
      select merchant_id, id from mails where ended_at < ${before} order by ended_at limit ${limit} for update skip locked
    ) old where m.merchant_id = old.merchant_id and m.id = old.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** The newest mails of test mode, whoever's. */
export async function newestTestMails(db: Db, limit: number): Promise<MailRow[]> {
  return await db
    .selectFrom('mails')
    .selectAll()
    .where('livemode', '=', false)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** A mail of test mode, or null. */
export async function findTestMail(db: Db, id: string): Promise<MailRow | null> {
  const row = await db
    .selectFrom('mails')
    .selectAll()
    .where('livemode', '=', false)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
