import type { Merchant } from '../merchant.ts';
import type { MailRow } from './mail.store.ts';
import { checkedText, headerText, type MailText } from './mail.ts';
import { logoCid, readLogo, sheetOf } from './mail-layout.ts';

/** A document attached to a mail. */
export interface DrawnDocument {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A newer text of the mail, written when this document was drawn. Default: the queued text. */
  readonly mailText?: MailText;
}

/** The sender, attachments and date of a message. */
export interface MessageParts {
  readonly merchant: Pick<Merchant, 'name' | 'branding'>;
  /** The setting PAY_MAIL_FROM. */
  readonly from: string;
  readonly documents: readonly DrawnDocument[];
  readonly date: Date;
}

/** Maximum bytes of a message, including base64. Many servers accept at most 10 MB. */
const largestMessage = 10_000_000;

/**
 * Composes the whole message (RFC 5322, MIME): text, HTML with the logo, and documents. The Message-ID comes from the
 * mail's id, so a repeated mail has the same Message-ID. Rejects if the message is too large.
 */
export async function composeMessage(mail: MailRow, parts: MessageParts): Promise<Buffer> {
  const current = withCurrentText(mail, parts);
  const { html, text } = sheetOf(current, parts.merchant);
  const logo = html.includes(`cid:${logoCid}`) ? await readLogo(parts.merchant.branding.logo) : null;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name: senderOf(mail, parts.merchant), address: parts.from },
    to: { name: mail.to_name ?? '', address: mail.to_email },
    ...(mail.reply_to !== null && { replyTo: { name: '', address: mail.reply_to } }),
    subject: current.subject,
    text,
    html,
    messageId: `<${mail.id}@${parts.from.slice(parts.from.lastIndexOf('@') + 1)}>`,
    date: parts.date,
    // Prevents automatic replies (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: [
      ...(logo === null ? [] : [{ ...logo, cid: logoCid, contentDisposition: 'inline' as const }]),
      ...parts.documents.map(({ filename, contentType, bytes }) => ({
        filename: headerText(filename, 100),
        contentType,
        content: Buffer.from(bytes),
      })),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = await node.compile().build();
  if (message.length > largestMessage) throw new Error(`the message is too large: ${message.length} bytes`);
  return message;
}

/** The mail, with the first `mailText` of its documents if there is one. */
function withCurrentText(mail: MailRow, { documents }: Pick<MessageParts, 'documents'>): MailRow {
  const renewed = documents.find(({ mailText }) => mailText !== undefined)?.mailText;
  return renewed === undefined ? mail : { ...mail, ...checkedText(renewed) };
}

/** Kinds of objects about which the service itself writes to a merchant. */
const aboutService: ReadonlySet<string> = new Set(['webhook_endpoint', 'domain']);

/** The displayed sender. Mails to a merchant show the service's name, and other mails show the merchant's name. */
function senderOf({ resource_type: about }: MailRow, { name }: MessageParts['merchant']): string {
  return aboutService.has(about) ? 'pay-checkout' : headerText(name, 100);
}
