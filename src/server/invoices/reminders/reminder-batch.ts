import { leftOf } from '../../../core/invoice/invoice-installments.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type NewEvent, recordEvents } from '../../platform/events/outbox.ts';
import { type MailText, type NewMail, queueMails } from '../../platform/mail/mail.ts';
import { installmentsOf, isPayable, remainingOf } from '../invoice.ts';
import { hostedInvoiceUrl, type InvoiceRow, type InvoiceViewContext, invoiceToWire, todayOf } from '../invoice.view.ts';
import { type RemindedPart, reminderMail } from '../notifications/invoice-mail-text.ts';
import { addresseeOf, type MailMoment, mailedInvoice, mailKey } from '../notifications/invoice-notifications.ts';
import { countEvents, endReminders, type ReminderEnd, type ReminderRow } from './reminder.store.ts';
import { leftBy, type OpenPart, reminderToWire, tenseOf } from './reminder.ts';

/** The parts of an invoice with a due date, in order, with their remaining amounts. */
export function openParts(row: InvoiceRow): OpenPart[] {
  if (row.plan.length === 0) {
    return row.due_date === null ? [] : [{ dueDate: row.due_date, left: remainingOf(row) }];
  }
  return installmentsOf(row, null).flatMap(part =>
    part.dueDate === null ? [] : [{ dueDate: part.dueDate, left: leftOf(part) }],
  );
}

/** The requested amount of a reminder: the rest of all that is due by the day. */
type AskedPart = Omit<RemindedPart, 'tense'>;

/** What the mail of a reminder says, as things stand. */
export async function mailTextOfReminder(
  context: InvoiceViewContext,
  row: InvoiceRow,
  part: AskedPart,
  moment: MailMoment,
): Promise<MailText> {
  const invoice = mailedInvoice(row, hostedInvoiceUrl(context, row));
  return reminderMail(invoice, tensed(row, part, moment), moment.merchant, await stringsFor('mail', row.locale));
}

function tensed(row: InvoiceRow, part: AskedPart, { now }: Pick<MailMoment, 'now'>): RemindedPart {
  return { ...part, tense: tenseOf(part.dueDate, todayOf(row, now) ?? '') };
}

/** A reminder whose hour has come, and all it speaks of. */
export interface ReminderCase extends MailMoment {
  readonly reminder: ReminderRow;
  /** Locked. */
  readonly row: InvoiceRow;
  /** Where it goes instead of to the invoice's customer. */
  readonly email?: string;
}

/** Gathers reminders that are written together: a few statements, however many there are. */
export class ReminderBatch {
  readonly #context: InvoiceViewContext;
  readonly #strings: ReadonlyMap<string, StringTables['mail']>;
  readonly #ends: ReminderEnd[] = [];
  readonly #mails: NewMail[] = [];
  readonly #events: NewEvent[] = [];
  /** The invoices with events, each with the number of its last event. */
  readonly #counted = new Map<string, InvoiceRow>();

  private constructor(context: InvoiceViewContext, strings: ReadonlyMap<string, StringTables['mail']>) {
    this.#context = context;
    this.#strings = strings;
  }

  /** An empty batch that speaks the languages of the invoices. */
  static async begin(context: InvoiceViewContext, rows: Iterable<InvoiceRow>): Promise<ReminderBatch> {
    const locales = [...new Set([...rows].map(({ locale }) => locale))];
    const tables = locales.map(async locale => [locale, await stringsFor('mail', locale)] as const);
    return new ReminderBatch(context, new Map(await Promise.all(tables)));
  }

  /** Takes a reminder in. It is dropped when nothing is owed or no address is known, and skipped when it is paused. */
  add(entry: ReminderCase): void {
    const { reminder, row, now } = entry;
    const email = entry.email ?? addresseeOf(row);
    const amount = leftBy(reminder.due_date, openParts(row));
    if (!isPayable(row.status) || amount === 0n || email === null) {
      this.drop(reminder);
      return;
    }
    if (reminder.status === 'paused') {
      this.#end(reminder, 'skipped');
      return;
    }
    const sent = { ...reminder, status: 'sent', sent_at: now, amount, sent_to: email } as const;
    this.#ends.push(endOf(sent));
    const shown = invoiceToWire(this.#context, row, now);
    this.#mails.push(this.#mailOf(entry, { amount, email, payUrl: shown.hosted_invoice_url }));
    this.#events.push(this.#eventOf(entry, { ...shown, reminder: reminderToWire(sent) }));
  }

  drop(reminder: ReminderRow): void {
    this.#end(reminder, 'dropped');
  }

  #end(reminder: ReminderRow, status: 'dropped' | 'skipped'): void {
    this.#ends.push(endOf({ ...reminder, status, sent_at: null, amount: null, sent_to: null }));
  }

  /** Writes everything, in the transaction that holds the locks. */
  async write(tx: Tx): Promise<void> {
    const counted = [...this.#counted.values()];
    await endReminders(tx, this.#ends);
    await countEvents(tx, counted);
    await queueMails(tx, this.#mails);
    await recordEvents(tx, this.#events);
  }

  #mailOf(
    { reminder, row, merchant, now }: ReminderCase,
    { amount, email, payUrl }: { amount: bigint; email: string; payUrl: string | null },
  ): NewMail {
    const strings = this.#strings.get(row.locale);
    if (strings === undefined) throw new Error(`the batch does not speak ${row.locale}`);
    const part = tensed(row, { dueDate: reminder.due_date, amount }, { now });
    return {
      ...reminderMail(mailedInvoice(row, payUrl), part, merchant, strings),
      ...{ merchantId: row.merchant_id, livemode: row.livemode, now, replyTo: merchant.supportEmail },
      resource: { type: 'invoice', id: row.id },
      dedupeKey: mailKey.reminder(reminder.id),
      to: { name: row.customer.name, email },
      attachments: [{ kind: 'reminder', id: reminder.id }],
    };
  }

  #eventOf({ row, now }: ReminderCase, object: object): NewEvent {
    const sequence = (this.#counted.get(row.id) ?? row).event_sequence + 1;
    this.#counted.set(row.id, { ...row, event_sequence: sequence });
    return {
      ...{ merchantId: row.merchant_id, livemode: row.livemode, resourceId: row.id, sequence, now, previous: null },
      ...{ type: 'invoice.reminder_sent', object },
    };
  }
}

function endOf({ merchant_id, id, status, sent_at, amount, sent_to }: ReminderRow): ReminderEnd {
  return { merchant_id, id, status, sent_at, amount, sent_to };
}
