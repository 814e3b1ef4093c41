import { isEmail } from '../../../core/email.ts';
import { PayError } from '../../../core/error.ts';
import type { Executor } from '../db/database.ts';
import type { MailText, NewMail } from './mail.store.ts';
import { insertMails } from './mail.store.ts';

export type { MailAttachment, MailContent, MailText, NewMail } from './mail.store.ts';

const longestSubject = 200;
const longestName = 100;
/** Most that a mail may say, in characters. */
const longestContent = 200_000;

/**
 * Puts the mail into the outbox, in the transaction of the change that it reports. Does nothing when a mail has its
 * `dedupeKey`. Throws `invalid_email` (param `to` or `replyTo`) before anything is written.
 */
export async function queueMail(tx: Executor, mail: NewMail): Promise<void> {
  await queueMails(tx, [mail]);
}

/** As `queueMail` for any number of mails, in one statement. */
export async function queueMails(tx: Executor, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return;
  await insertMails(tx, mails.map(checkedMail));
}

/** Throws `invalid_email` unless the address is deliverable. Routes check addresses before they keep them. */
export function assertEmail(email: string, param: string): void {
  if (!isEmail(email)) throw new PayError('invalid_email', `${param} is no e-mail address.`, { param });
}

/**
 * Makes a text safe in a header: control characters, line separators and direction marks become blanks; encoded words
 * (RFC 2047) are broken.
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

/** The text as it may be sent: its subject is one line. Throws when it is too long for any mail. */
export function checkedText({ subject, content }: MailText): MailText {
  if (JSON.stringify(content).length > longestContent) throw new Error(`the mail “${subject}” is too long`);
  return { subject: headerText(subject, longestSubject), content };
}
