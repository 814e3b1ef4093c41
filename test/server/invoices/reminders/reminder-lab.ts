import type { Invoice } from '../../../../src/api/invoice/invoice-view.ts';
import type { InvoiceReminder } from '../../../../src/api/invoice/reminder.ts';
import type { MerchantChanges } from '../../../../src/server/merchants/merchant.store.ts';
import { type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { type InvoiceLab, startInvoiceLab } from '../invoice-lab.ts';

/** A day, in seconds. */
export const day = 86_400;

/** The real app with a mail server, and what is read of reminders. */
export interface ReminderLab extends InvoiceLab {
  readonly post: MailServer;
  /** An address that nobody else has. */
  newAddress(): string;
  /** A day so many days from now. */
  dayFromNow(days: number): string;
  /** An invoice of a customer of its own, due in ten days, sent. */
  sentTo(email: string, changes?: object): Promise<Invoice>;
  /** In the order of their hours. */
  reminders(id: string): Promise<InvoiceReminder[]>;
  /** The text of each mail that came to the address, oldest first. */
  textsTo(email: string): string[];
  /** The first word of the subject of each. */
  kindsTo(email: string): string[];
}

/** Starts it. Its merchant is Shop & Sons in Berlin. */
export async function startReminderLab(merchant: MerchantChanges = {}): Promise<ReminderLab> {
  const post = await startMailServer();
  const lab = await startInvoiceLab({
    settings: { SMTP_URL: post.url },
    merchant: { name: 'Shop & Sons', supportEmail: 'hello@shop.example', timezone: 'Europe/Berlin', ...merchant },
  });
  let addresses = 0;
  const dayFromNow = (days: number) =>
    new Date(lab.clock.now().getTime() + days * day * 1000).toISOString().slice(0, 10);
  return {
    ...{ ...lab, post, dayFromNow },
    newAddress: () => `reader-${++addresses}@reader.example`,
    sentTo: (email, changes) => lab.sent({ customer: { name: 'Ada', email }, due_date: dayFromNow(10), ...changes }),
    reminders: async id => (await lab.request(`GET /v1/invoices/${id}/reminders?limit=100`)).body.data.reverse(),
    textsTo: address => post.to(address).map(({ email }) => email.text ?? ''),
    kindsTo: address => post.to(address).map(({ email }) => email.subject?.split(' ')[0] ?? ''),
    close: async () => {
      await lab.close();
      await post.close();
    },
  };
}
