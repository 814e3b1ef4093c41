/** Settings on which mails depend. */
export interface MailSettings {
  /** The mail server; null: mails of test mode are kept and shown, those of live mode wait. */
  readonly smtpUrl: string | null;
  /** The address mails come from; null: no-reply at the host of the public address. */
  readonly mailFrom: string | null;
  readonly network: string;
  readonly role: string;
}

/** The address mails come from where `PAY_MAIL_FROM` is not set. */
export function senderAddress({ mailFrom }: Pick<MailSettings, 'mailFrom'>, publicUrl: string): string {
  return mailFrom ?? `no-reply@${new URL(publicUrl).hostname}`;
}

/** What an operator should be told of the settings when the process starts. */
export function mailWarnings(settings: MailSettings, publicUrl: string): string[] {
  const { smtpUrl, network, role } = settings;
  if (role === 'api') return [];
  const warnings: string[] = [];
  const isLive = network === 'public';
  if (smtpUrl === null && isLive) {
    warnings.push('SMTP_URL is not set: mails wait until a process of this database has it');
  }
  const from = senderAddress(settings, publicUrl);
  if ((smtpUrl !== null || isLive) && from.endsWith('@localhost')) {
    warnings.push(`mails come from ${from}, which most mail servers refuse: set PAY_MAIL_FROM`);
  }
  return warnings;
}
