import type { Invoice } from '../../../../src/api/invoice/invoice-view.ts';
import type { InvoiceReminder } from '../../../../src/api/invoice/reminder.ts';
import type { MerchantChanges } from '../../../../src/server/merchants/merchant.store.ts';
import { type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { type InvoiceLab, startInvoiceLab } from '../invoice-lab.ts';

/** Seconds of a day. */
export const day = 86_400;

/** The real app with a mail server and reminders. */
export interface ReminderLab extends InvoiceLab {
  readonly post: MailServer;
  /** An address that no other customer has. */
  newAddress(): string;
  dayFromNow(days: number): string;
  /** Sends an invoice, due in ten days, to a customer with this address. */
  sentTo(email: string, changes?: object): Promise<Invoice>;
  reminders(id: string): Promise<InvoiceReminder[]>;
  /** The texts of the mails to the address, oldest first. */
  textsTo(email: string): string[];
  /** The first words of their subjects. */
  kindsTo(email: string): string[];
}

/** Starts the lab. Its merchant is Shop & Sons in Berlin. */
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
    ...lab,
    post,
    dayFromNow,
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
