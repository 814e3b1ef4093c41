import type { MailContent } from '../../../src/server/platform/mail/mail.ts';

/** The content of a mail with one sentence. */
export function saying(sentence: string): MailContent {
  return {
    language: 'en',
    direction: 'ltr',
    heading: 'A mail',
    amount: null,
    facts: [],
    action: null,
    notes: [],
    paragraphs: [sentence],
  };
}
