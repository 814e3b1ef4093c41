import type { Clock } from '../../core/clock.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/database.ts';
import type { Log, Sweep } from '../jobs/sweeper.ts';
import type { Merchant } from '../merchants/merchant.ts';
import { createMailSweep, type MailDocuments, type MailResult } from './mail.jobs.ts';
import { createMailTransport } from './smtp-transport.ts';

/** What the service’s mails are made of. */
export interface MailDeps {
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  readonly documents: MailDocuments;
  readonly wake: (sweep: string) => void;
}

/** The service’s post office: what sends its mails, and what it counts. */
export interface Mail {
  readonly sweep: Sweep;
  /** Attempts since the process began, by what became of them. */
  readonly gauge: {
    readonly name: string;
    readonly help: string;
    readonly label: string;
    readonly read: () => ReadonlyMap<string, number>;
  };
}

/** Puts together what sends mails; without `SMTP_URL` they are kept. */
export function createMail(deps: MailDeps): Mail {
  const { smtpUrl, mailFrom } = deps.config;
  const counts = new Map<MailResult, number>();
  const sweep = createMailSweep({
    ...deps,
    transport: smtpUrl === null ? null : createMailTransport(smtpUrl),
    from: () => mailFrom ?? `no-reply@${new URL(deps.publicUrl()).hostname}`,
    count: result => counts.set(result, (counts.get(result) ?? 0) + 1),
  });
  return {
    sweep,
    gauge: {
      ...{
        name: 'pay_mails',
        help: 'Attempts to send mails since the start, by what became of them.',
        label: 'result',
      },
      read: () => counts,
    },
  };
}
