import type { Merchant } from '../merchant.ts';
import type { MailRow } from './mail.store.ts';
import { checkedText, headerText, type MailText } from './mail.ts';
import { logoCid, readLogo, sheetOf } from './mail-layout.ts';

/** A document as it goes with a mail. */
export interface DrawnDocument {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** What its mail says, of the same moment; left out: what it said when it was written. */
  readonly letter?: MailText;
}

/** What a message is made of besides the mail itself. */
export interface MessageParts {
  readonly merchant: Pick<Merchant, 'name' | 'branding'>;
  /** The setting PAY_MAIL_FROM. */
  readonly from: string;
  readonly documents: readonly DrawnDocument[];
  readonly date: Date;
}

/** Largest message, in bytes: many servers take no more than 10 MB, and base64 adds a third. */
const largestMessage = 10_000_000;

/**
 * Composes the whole message (RFC 5322, MIME): text, HTML with the logo, documents. Its Message-ID follows from the
 * mail's id, so a repeat has the same one. Rejects when it is too large.
 */
export async function composeMessage(mail: MailRow, parts: MessageParts): Promise<Buffer> {
  const letter = letterOf(mail, parts);
  const { html, text } = sheetOf(letter, parts.merchant);
  const logo = html.includes(`cid:${logoCid}`) ? await readLogo(parts.merchant.branding.logo) : null;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name: senderOf(mail, parts.merchant), address: parts.from },
    to: { name: mail.to_name ?? '', address: mail.to_email },
    ...(mail.reply_to !== null && { replyTo: { name: '', address: mail.reply_to } }),
    ...{ subject: letter.subject, text, html },
    messageId: `<${mail.id}@${parts.from.slice(parts.from.lastIndexOf('@') + 1)}>`,
    date: parts.date,
    // Programs that are away must not answer programs (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: [
      ...(logo === null ? [] : [{ ...logo, cid: logoCid, contentDisposition: 'inline' as const }]),
      ...parts.documents.map(({ filename, contentType, bytes }) => ({
        ...{ filename: headerText(filename, 100), contentType, content: Buffer.from(bytes) },
      })),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = await node.compile().build();
  if (message.length > largestMessage) throw new Error(`the message has ${message.length} bytes: too many`);
  return message;
}

/** What the mail says when it leaves. */
function letterOf(mail: MailRow, { documents }: Pick<MessageParts, 'documents'>): MailRow {
  const renewed = documents.find(({ letter }) => letter !== undefined)?.letter;
  return renewed === undefined ? mail : { ...mail, ...checkedText(renewed) };
}

/** A customer reads the merchant's name as the sender; a merchant reads the service's. */
function senderOf({ resource_type: about }: MailRow, { name }: MessageParts['merchant']): string {
  return about === 'webhook_endpoint' ? 'pay-checkout' : headerText(name, 100);
}
