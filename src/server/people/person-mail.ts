import type { MailContent } from '../platform/mail/mail.ts';

/** A mail to a person who uses the dashboard. The mail is in English, like the dashboard. */
export function personMail(parts: Pick<MailContent, 'heading' | 'paragraphs' | 'action' | 'notes'>) {
  const content: MailContent = { language: 'en', direction: 'ltr', amount: null, facts: [], ...parts };
  return { subject: parts.heading, content };
}
