import type { Log } from '../jobs/sweeper.ts';
import type { Handover } from './smtp-transport.ts';

/** What is known of a mail server that cannot be used. */
export interface SmtpCircuitBreaker {
  /** Mails that may be under way to it, of so many at other times. */
  room(usual: number): number;
  /** Notes the outcome of a contact with the server. */
  note(handover: Handover): void;
  /** What the operator should see to. */
  readonly remarks: () => readonly string[];
}

/** What is wrong, by who is to blame as far as that is known. */
const sentences = {
  server: 'the mail server of SMTP_URL cannot be used',
  login: 'the mail server refuses the login of SMTP_URL',
  sender: 'the mail server refuses the sender, PAY_MAIL_FROM',
};

/**
 * Opens when the server is away or refuses every login. Mails under way at that moment all fail. Afterwards each
 * process probes with one mail at a time, after a pause that grows to a minute.
 */
export function createSmtpCircuitBreaker(log: Log): SmtpCircuitBreaker {
  let failures = 0;
  let quietUntil = 0;
  let remark: string | null = null;
  return {
    room: usual => {
      if (performance.now() < quietUntil) return 0;
      return failures === 0 ? usual : 1;
    },
    note: handover => {
      if (handover.result !== 'unreachable') {
        failures = 0;
        remark = null;
        return;
      }
      // Several mails under way meet the same absence: it counts once.
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
