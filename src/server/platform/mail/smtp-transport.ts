import { Readable } from 'node:stream';
import type { Transporter } from 'nodemailer';
import type { Log } from '../jobs/sweeper.ts';

/** A mail in the form for the mail server. */
export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  /** The whole message: headers and body. */
  readonly bytes: Uint8Array;
}

/**
 * The result of a hand-over. `refused`: the server will never accept this mail. `failed`: this mail may be tried again.
 * `unanswered`: the whole message was sent, but no answer came, so the outcome is unknown. `unreachable`: the server is
 * unreachable, or refuses all mails of the service.
 */
export type Handover =
  | { readonly result: 'sent' }
  | { readonly result: 'refused' | 'failed' | 'unanswered'; readonly error: string }
  /** `refused`: the server refuses the login, or the sender `PAY_MAIL_FROM`. Absent for other causes. */
  | { readonly result: 'unreachable'; readonly error: string; readonly refused?: 'login' | 'sender' };

/** The mail server of the setting `SMTP_URL`. */
export interface MailTransport {
  /**
   * Sends the mail to the server. Calls `confirm` before the end of the message. If `confirm` does not resolve to true,
   * the connection ends early, and the server discards the message (RFC 5321 §4.1.1.4). Never rejects.
   */
  hand(mail: OutgoingMail, confirm: () => Promise<boolean>, signal: AbortSignal): Promise<Handover>;
  close(): void;
}

/** Maximum number of mails that are sent at the same time. */
export const mailConnections = 4;

const answerMs = 600_000;

/**
 * Creates the transport, which speaks SMTP over a few connections that stay open while there is work. Connecting fails
 * after `silenceMs` of silence. Later the server may take ten minutes to answer (RFC 5321 §4.5.3.2.6). A client that
 * disconnects sooner could send an accepted mail twice. The library is loaded with the first mail.
 */
export function createMailTransport(smtpUrl: string, silenceMs = 20_000): MailTransport {
  let opened: Promise<Transporter> | null = null;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url: smtpUrl,
      pool: true,
      maxConnections: mailConnections,
      maxMessages: 200,
      idleTimeout: 15_000,
      connectionTimeout: silenceMs,
      greetingTimeout: silenceMs,
      socketTimeout: answerMs,
      dnsTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return {
    hand: async ({ from, to, bytes }, confirm, signal) => {
      const progress: Progress = { at: 'connecting' };
      try {
        opened ??= open();
        const raw = Readable.from(heldBack(bytes, confirm, progress), { objectMode: false });
        await (await opened).sendMail({ raw, envelope: { from, to: [to] }, signal });
        return { result: 'sent' };
      } catch (error) {
        return judgeError(error, progress);
      }
    },
    close: () => void opened?.then(transport => transport.close()),
  };
}

/** Connects to the mail server and logs in, without sending a mail. Returns null, or the error as text. */
export async function verifyMailServer(smtpUrl: string, silenceMs: number): Promise<string | null> {
  const { createTransport } = await import('nodemailer');
  const times = { connectionTimeout: silenceMs, greetingTimeout: silenceMs, socketTimeout: silenceMs };
  const transport = createTransport({ url: smtpUrl, ...times, disableFileAccess: true, disableUrlAccess: true });
  try {
    await transport.verify();
    return null;
  } catch (error) {
    const { code = '', command = '', responseCode = 0 } = error as SmtpError;
    return describe(error, { code, command, responseCode });
  } finally {
    transport.close();
  }
}

/** Progress of a mail. `message`: the library has begun to read the message. `ended`: it has read the whole message. */
interface Progress {
  at: 'connecting' | 'message' | 'ended';
}

async function* heldBack(
  bytes: Uint8Array,
  confirm: () => Promise<boolean>,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  const end = Math.max(bytes.length - 2, 0);
  progress.at = 'message';
  yield bytes.subarray(0, end);
  if (!(await confirm())) throw new Error('another worker has taken over the mail');
  progress.at = 'ended';
  yield bytes.subarray(end);
}

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** Commands before any mail is transferred. If they fail, no mail is the cause. */
const beforeTheMail = /^(CONN|EHLO|HELO|LHLO|STARTTLS|AUTH\b.*|MAIL FROM)$/;
const connectionCodes = /^(ECONNECTION|EDNS|ETLS|EREQUIRETLS|EPROXY|EAUTH|ENOAUTH|EOAUTH2|ECONFIG)$/;

function judgeError(error: unknown, { at }: Progress): Handover {
  const { code = '', command = '', responseCode = 0 } = error as SmtpError;
  const text = describe(error, { code, command, responseCode });
  // The library only reports a broken connection, but the mail may have arrived.
  if (!responseCode && at !== 'connecting') {
    const isUnanswered = at === 'ended' && code !== 'ESTREAM';
    return { result: isUnanswered ? 'unanswered' : 'failed', error: text };
  }
  if (connectionCodes.test(code) || beforeTheMail.test(command)) {
    const refused = command === 'MAIL FROM' ? 'sender' : /AUTH/.test(`${code} ${command}`) ? 'login' : null;
    return { result: 'unreachable', error: text, ...(refused && { refused }) };
  }
  return { result: responseCode >= 500 ? 'refused' : 'failed', error: text };
}

/** The error in a short line without e-mail addresses, which servers repeat in errors but logs must not contain. */
function describe(error: unknown, { code, command, responseCode }: Required<SmtpError>): string {
  const message = error instanceof Error ? error.message : String(error);
  const facts = [code, command, responseCode || ''].filter(fact => fact !== '').join(' ');
  return `${facts}: ${message}`
    .replace(/\s+/g, ' ')
    .replace(/[^\s<>]+@[^\s<>]+/g, '[address]')
    .slice(0, 300);
}

/** Messages for the operator, by cause: the `refused` of `unreachable`, or `server` for other causes. */
const sentences = {
  server: 'the mail server of SMTP_URL cannot be used',
  login: 'the mail server refuses the login of SMTP_URL',
  sender: 'the mail server refuses the sender, PAY_MAIL_FROM',
};

/**
 * Delays mails while the server is unreachable, or refuses the login or the sender. Each process then tries one mail at
 * a time, after a pause that grows to a minute.
 */
export function createSmtpCircuitBreaker(log: Log) {
  let failures = 0;
  let quietUntil = 0;
  let remark: string | null = null;
  return {
    /** How many mails may be sent at once: `usual` while the server works, 0 during a pause, and 1 after a pause. */
    room: (usual: number) => {
      if (performance.now() < quietUntil) return 0;
      return failures === 0 ? usual : 1;
    },
    /** Records the outcome of a contact with the server. */
    note: (handover: Handover) => {
      if (handover.result !== 'unreachable') {
        failures = 0;
        remark = null;
        return;
      }
      // One outage fails several mails, but counts as one failure.
      if (performance.now() < quietUntil) return;
      const pauseMs = Math.min(1_000 * 2 ** failures++, 60_000);
      quietUntil = performance.now() + pauseMs;
      const { error, refused = 'server' } = handover;
      remark = `mail: ${sentences[refused]} (${error})`;
      log.error({ error, failures, pauseMs }, `${sentences[refused]}; mails wait`);
    },
    remarks: () => (remark === null ? [] : [remark]),
  };
}
