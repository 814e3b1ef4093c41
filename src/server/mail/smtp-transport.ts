import { Readable } from 'node:stream';
import type { Transporter } from 'nodemailer';

/** A mail as it goes over the wire. */
export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  /** The whole message: headers and body. */
  readonly bytes: Uint8Array;
}

/**
 * What became of a mail. `sent`: the server took it. `refused`: it never will. `failed`: this mail met trouble, try it
 * again. `unreachable`: it was not about this mail; the server is away or does not let the service in.
 */
export type Handover =
  | { readonly result: 'sent' }
  | { readonly result: 'refused' | 'failed' | 'unreachable'; readonly error: string };

/** The mail server of the setting `SMTP_URL`. */
export interface MailTransport {
  /**
   * Hands the mail to the server. `confirm` is asked when all but the end of the message was sent: unless it says yes the
   * message is broken off, and a server throws away what never ended (RFC 5321 §4.1.1.4). Never rejects.
   */
  hand(mail: OutgoingMail, confirm: () => Promise<boolean>, signal: AbortSignal): Promise<Handover>;
  close(): void;
}

const connections = 4;

/**
 * Speaks SMTP to the address of `SMTP_URL` over a few connections that are kept open while there is work. The library is
 * loaded with the first mail.
 */
export function createMailTransport(smtpUrl: string, silenceMs = 20_000): MailTransport {
  let opened: Promise<Transporter> | null = null;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      ...{ url: smtpUrl, pool: true, maxConnections: connections, maxMessages: 200, idleTimeout: 15_000 },
      ...{ connectionTimeout: silenceMs, greetingTimeout: silenceMs, socketTimeout: silenceMs, dnsTimeout: silenceMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
  };
  return {
    hand: async ({ from, to, bytes }, confirm, signal) => {
      try {
        opened ??= open();
        const raw = Readable.from(heldBack(bytes, confirm), { objectMode: false });
        await (await opened).sendMail({ raw, envelope: { from, to: [to] }, signal });
        return { result: 'sent' };
      } catch (error) {
        return judgeError(error);
      }
    },
    close: () => void opened?.then(transport => transport.close()),
  };
}

async function* heldBack(bytes: Uint8Array, confirm: () => Promise<boolean>): AsyncGenerator<Uint8Array> {
  const end = Math.max(bytes.length - 2, 0);
  yield bytes.subarray(0, end);
  if (!(await confirm())) throw new Error('the mail is another worker’s by now');
  yield bytes.subarray(end);
}

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** Where a conversation stands before any mail is spoken of; what goes wrong there is no mail’s fault. */
const beforeTheMail = /^(CONN|EHLO|HELO|LHLO|STARTTLS|AUTH\b.*|MAIL FROM)$/;
const connectionCodes = [
  'ECONNECTION',
  'EDNS',
  'ETLS',
  'EREQUIRETLS',
  'EPROXY',
  'EAUTH',
  'ENOAUTH',
  'EOAUTH2',
  'ECONFIG',
];

function judgeError(error: unknown): Handover {
  const { code = '', command = '', responseCode = 0 } = error as SmtpError;
  const text = describe(error, { code, command, responseCode });
  if (connectionCodes.includes(code) || beforeTheMail.test(command)) return { result: 'unreachable', error: text };
  return { result: responseCode >= 500 ? 'refused' : 'failed', error: text };
}

/** Short, and in one line; servers like to repeat the address they refuse, which is no business of the log. */
function describe(error: unknown, { code, command, responseCode }: Required<SmtpError>): string {
  const message = error instanceof Error ? error.message : String(error);
  const facts = [code, command, responseCode || ''].filter(fact => fact !== '').join(' ');
  return `${facts}: ${message}`
    .replace(/\s+/g, ' ')
    .replace(/[^\s<>]+@[^\s<>]+/g, '[address]')
    .slice(0, 300);
}
