import { sql } from 'kysely';
import { newId } from '../../core/id.ts';
import { booleanArray, textArray, timestampArray } from '../db/array-parameter.ts';
import type { Executor } from '../db/database.ts';
import type { NewMail } from './mail.ts';

/** Writes the mails as due at once; those whose key is taken are left out. */
export async function insertMails(tx: Executor, mails: readonly NewMail[]): Promise<void> {
  const texts = (of: (mail: NewMail) => string | null) => textArray(mails.map(of));
  await sql`
    insert into mails (merchant_id, id, livemode, dedupe_key, to_name, to_email, reply_to, subject, html, text,
      attachments, due_at, created_at)
    select merchant_id, id, livemode, dedupe_key, to_name, to_email, reply_to, subject, html, text,
      attachments::jsonb, now, now
    from unnest(
      ${texts(mail => mail.merchantId)}::text[], ${texts(() => newId('mail'))}::text[],
      ${booleanArray(mails.map(mail => mail.livemode))}::bool[], ${texts(mail => mail.dedupeKey)}::text[],
      ${texts(mail => mail.to.name ?? null)}::text[], ${texts(mail => mail.to.email)}::text[],
      ${texts(mail => mail.replyTo)}::text[], ${texts(mail => mail.subject)}::text[],
      ${texts(mail => mail.html)}::text[], ${texts(mail => mail.text)}::text[],
      ${texts(mail => JSON.stringify(mail.attachments))}::text[],
      ${timestampArray(mails.map(mail => mail.now))}::timestamptz[]
    ) as new (merchant_id, id, livemode, dedupe_key, to_name, to_email, reply_to, subject, html, text, attachments, now)
    on conflict (merchant_id, livemode, dedupe_key) do nothing`.execute(tx);
}
