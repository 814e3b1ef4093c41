import { isEmail } from '../../../core/email.ts';
import { PayError } from '../../../core/error.ts';
import type { Executor } from '../db/database.ts';
import { type Write, writeTogether } from '../db/rows.ts';
import type { MailText, NewMail } from './mail.store.ts';
import { mailInsert } from './mail.store.ts';

export type { MailAttachment, MailContent, MailText, NewMail } from './mail.store.ts';

const longestSubject = 200;
const longestName = 100;
/** Maximum characters of a mail's content as JSON. */
const longestContent = 200_000;

/**
 * Queues the mail in the transaction of the change that it reports. Does nothing if another mail already has the same
 * `dedupeKey`. Throws `invalid_email` (param `to` or `replyTo`) before anything is written.
 */
export async function queueMail(tx: Executor, mail: NewMail): Promise<void> {
  await queueMails(tx, [mail]);
}

/** Like `queueMail`, for any number of mails in one statement. */
export async function queueMails(tx: Executor, mails: readonly NewMail[]): Promise<void> {
  await writeTogether(tx, [await queueingMails(tx, mails)]);
}

/** The insert of `queueMails`, for callers who write it together with other rows. Null without mails. */
export async function queueingMails(db: Executor, mails: readonly NewMail[]): Promise<Write | null> {
  return await mailInsert(db, mails.map(checkedMail));
}

/** Throws `invalid_email` if the text is not an e-mail address. Routes check addresses before they store them. */
export function assertEmail(email: string, param: string): void {
  if (!isEmail(email)) throw new PayError('invalid_email', `${param} is not an e-mail address.`, { param });
}

/**
 * Makes a text safe in a header, with at most `longest` characters. Control characters, line separators and direction
 * marks become blanks. Encoded words (RFC 2047) get a blank inside, so that they stay plain text.
 */
export function headerText(text: string, longest: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}

function checkedMail(mail: NewMail): NewMail {
  assertEmail(mail.to.email, 'to');
  if (mail.replyTo !== null) assertEmail(mail.replyTo, 'replyTo');
  const name = headerText(mail.to.name ?? '', longestName);
  return { ...mail, ...checkedText(mail), to: { email: mail.to.email, name: name === '' ? null : name } };
}

/** The text as it is sent. Its subject is one line. Throws if the text is too long for any mail. */
export function checkedText({ subject, content }: MailText): MailText {
  if (JSON.stringify(content).length > longestContent) throw new Error(`the mail “${subject}” is too long`);
  return { subject: headerText(subject, longestSubject), content };
}
