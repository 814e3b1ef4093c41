import * as mailSchemas from '../../../api/dashboard/mail.ts';
import { accountants, everybody } from '../http/access/roles.ts';
import type { Sweep } from '../jobs/sweeper.ts';
import { defineModule, schemasIn } from '../module.ts';
import type { DelivererDeps } from '../webhooks/deliverer.ts';
import { type EndpointMailDeps, tellOfDisabled } from './endpoint-mail.ts';
import { createMailSweep, type MailSweepDeps } from './mail.jobs.ts';
import { type MailRouteDeps, registerMailRoutes } from './mail.routes.ts';
import { deleteEndedMails, findOverdueMails, mailErasure, mailSearch } from './mail.store.ts';
import type { MailResult } from './mail-outcome.ts';
import { registerMailSample } from './mail-sample.routes.ts';
import { registerOutboxRoutes } from './outbox.routes.ts';
import { createMailTransport } from './smtp-transport.ts';

interface MailServices {
  readonly mail: Mail;
  readonly onDisabled: DelivererDeps['onDisabled'];
}

interface Deps extends Omit<MailRouteDeps, 'findMerchant'>, MailDeps, EndpointMailDeps, Pick<MailServices, 'mail'> {}

/** Mails to payers and merchants. The outbox shows the mails of test mode. */
export const mail = defineModule<Deps, { services: MailServices }>({
  name: 'mail',
  provides: {
    mail: ({ config, db, clock, log, wake, publicUrl, findMerchant, documents, onGivenUp }) =>
      createMail({ config, db, clock, log, wake, publicUrl, findMerchant, documents, onGivenUp }),
    onDisabled: deps => (tx, endpoints) => tellOfDisabled(tx, deps, endpoints),
  },
  erasures: () => [mailErasure],
  tables: ['mails', 'mail_servers'],
  schemas: schemasIn(mailSchemas),
  scopes: { mails: { read: everybody, write: accountants } },
  tags: { Mails: 'Mails to payers and customers, with their state.' },
  search: [mailSearch],
  routes: (app, deps) => {
    registerMailRoutes(app, deps);
    registerMailSample(app, deps);
  },
  testRoutes: (app, deps) => {
    if (deps.config.network === 'sandbox') registerOutboxRoutes(app, deps.mail.outbox);
  },
  sweeps: deps => deps.mail.sweeps,
  gauges: deps => [deps.mail.gauge],
  overdue: { mail: findOverdueMails },
  remarks: deps => deps.mail.remarks(),
  start: deps => deps.mail.start(),
});

interface MailDeps
  extends Pick<MailSweepDeps, 'db' | 'clock' | 'log' | 'findMerchant' | 'documents' | 'onGivenUp' | 'wake'> {
  readonly config: MailSettings;
  readonly publicUrl: () => string;
}

export type Mail = ReturnType<typeof createMail>;

/** Creates the mail services. Without `SMTP_URL`, mails of test mode are kept for the outbox, and live mails wait. */
export function createMail(deps: MailDeps) {
  const { config, log, publicUrl } = deps;
  const { smtpUrl } = config;
  const counts = new Map<MailResult, number>();
  const sweep = createMailSweep({
    ...deps,
    transport: smtpUrl === null ? null : createMailTransport(smtpUrl),
    from: () => senderAddress(config, publicUrl()),
    count: result => counts.set(result, (counts.get(result) ?? 0) + 1),
  });
  return {
    sweeps: [sweep, createForgetting(deps)],
    /** Warns about settings, once the public URL is known. */
    start: () => {
      for (const warning of mailWarnings(config, publicUrl())) log.warn({}, warning);
    },
    remarks: sweep.remarks,
    outbox: { ...deps, isSending: smtpUrl !== null },
    gauge: {
      name: 'pay_mails',
      help: 'Attempts to send mails since the start, by outcome.',
      label: 'result',
      read: (): ReadonlyMap<string, number> => counts,
    },
  };
}

const dayMs = 86_400_000;
/** Days from the end of a mail to its deletion. Mails contain personal data. */
const keptDays = 90;

function createForgetting({ db, clock }: MailDeps): Sweep {
  const oldest = () => new Date(clock.now().getTime() - keptDays * dayMs);
  return { name: 'mail.forget', everyMs: 3_600_000, run: () => deleteEndedMails(db, oldest(), 500) };
}

interface MailSettings {
  /** The mail server. Null: mails of test mode are kept and shown, and mails of live mode wait. */
  readonly smtpUrl: string | null;
  /** The sender's address. Null: `no-reply` at the host of the public URL. */
  readonly mailFrom: string | null;
  readonly network: string;
  readonly role: string;
}

/** The sender's address: `PAY_MAIL_FROM`, or `no-reply` at the host of the public URL. */
function senderAddress({ mailFrom }: Pick<MailSettings, 'mailFrom'>, publicUrl: string): string {
  return mailFrom ?? `no-reply@${new URL(publicUrl).hostname}`;
}

/** Warnings about the settings, which the operator gets when the process starts. */
export function mailWarnings(settings: MailSettings, publicUrl: string): string[] {
  const { smtpUrl, network, role } = settings;
  if (role === 'api') return [];
  const warnings: string[] = [];
  const isLive = network === 'public';
  if (smtpUrl === null && isLive) {
    warnings.push('SMTP_URL is not set: mails wait until another process with this database has it');
  }
  const from = senderAddress(settings, publicUrl);
  if ((smtpUrl !== null || isLive) && from.endsWith('@localhost')) {
    warnings.push(`mails come from ${from}, which most mail servers refuse: set PAY_MAIL_FROM`);
  }
  return warnings;
}
