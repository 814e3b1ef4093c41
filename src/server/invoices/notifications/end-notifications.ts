import { stringsFor } from '../../../core/locale/string-tables.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { announce, recordEvents } from '../../platform/events/outbox.ts';
import type { ClaimedMail } from '../../platform/mail/mail.store.ts';
import type { MailText } from '../../platform/mail/mail.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { lockInvoice } from '../invoice.store.ts';
import { type CreditNoteRow, type InvoiceRow, type InvoiceViewContext, invoiceToWire } from '../invoice.view.ts';
import { findCreditNote } from '../money/credit-note.store.ts';
import { countEvents, findReminder } from '../reminders/reminder.store.ts';
import { invoiceMailToWire } from './invoice-mail.routes.ts';
import { findTransaction, mailingOf } from './invoice-mail.store.ts';
import { creditNoteMail, voidMail } from './invoice-mail-text.ts';
import { type MailMoment, mailedInvoice, mailKey, queueNotification } from './invoice-notifications.ts';

/** What the mail says that brings a credit note; `row` as it is after. */
export async function mailTextOfCreditNote(
  row: InvoiceRow,
  note: CreditNoteRow,
  merchant: Merchant,
): Promise<MailText> {
  const { number, amount, amount_to_credit: kept } = note;
  const strings = await stringsFor('mail', row.locale);
  return creditNoteMail(mailedInvoice(row, null), { number, amount, kept }, merchant, strings);
}

/** What the mail says that an invoice is void. */
export async function mailTextOfVoid(row: InvoiceRow, merchant: Merchant): Promise<MailText> {
  return voidMail(mailedInvoice(row, null), merchant, await stringsFor('mail', row.locale));
}

/**
 * Whether the invoice is over before its customer had it (`outdated`): then its end is nothing to write of either. `undecided`:
 * that is known in a moment. To be asked when the end is there for all to see: no mail that waits sends the invoice then.
 */
export async function endedUnseen(db: Executor, row: InvoiceRow, now: Date): Promise<false | 'outdated' | 'undecided'> {
  if (row.status !== 'void') return false;
  const mailing = await mailingOf(db, row, now);
  if (mailing === 'arrived') return false;
  return mailing === 'leaving' ? 'undecided' : 'outdated';
}

/**
 * Whether the customer never receives the invoice that this transaction ends. A mail that waits may still leave before
 * others see the end, so it is asked again, by `endedUnseen`, before the mail of the end leaves.
 */
async function endsUnseen(tx: Tx, row: InvoiceRow, now: Date): Promise<boolean> {
  return row.status === 'void' && (await mailingOf(tx, row, now)) === 'turned_away';
}

/**
 * Mails a credit note to the customer, in the transaction that writes it; `row` as it is after. Nothing where it makes an
 * invoice void that never arrives.
 */
export async function queueCreditNoteMail(
  tx: Tx,
  row: InvoiceRow,
  note: CreditNoteRow,
  moment: MailMoment,
): Promise<void> {
  if (await endsUnseen(tx, row, moment.now)) return;
  const attachment = { kind: 'credit_note', id: note.id } as const;
  const text = await mailTextOfCreditNote(row, note, moment.merchant);
  await queueNotification(tx, row, moment, text, { key: mailKey.creditNote(note.id), attachment });
}

/** Tells the customer that the invoice is void, in the transaction that voids it; nothing where it never arrives. */
export async function queueVoidMail(tx: Tx, row: InvoiceRow, moment: MailMoment): Promise<void> {
  if (await endsUnseen(tx, row, moment.now)) return;
  const attachment = { kind: 'void', id: row.id } as const;
  const text = await mailTextOfVoid(row, moment.merchant);
  await queueNotification(tx, row, moment, text, { key: mailKey.voided(row.id), attachment });
}

/**
 * Tells the merchant, in the transaction that gives the mail up, that a mail about an invoice will not arrive:
 * `invoice.mail_failed`, the invoice with its `mail`. Nothing for mails about something else.
 */
export async function tellMailFailed(tx: Tx, context: InvoiceViewContext, mail: ClaimedMail): Promise<void> {
  const invoiceId = await invoiceOf(tx, mail);
  if (invoiceId === null) return;
  const { merchant_id: merchantId, livemode, clock: now } = mail;
  const row = await lockInvoice(tx, { merchantId, invoiceId });
  const sequence = row.event_sequence + 1;
  await countEvents(tx, [{ ...row, event_sequence: sequence }]);
  await recordEvents(tx, [
    {
      ...{ merchantId, livemode, resourceId: invoiceId, sequence, now, previous: null },
      type: 'invoice.mail_failed',
      object: { ...invoiceToWire(context, row, now), mail: invoiceMailToWire(mail, invoiceId) },
    },
  ]);
  await announce(tx, [{ merchantId, resourceId: invoiceId }]);
}

async function invoiceOf(db: Executor, { merchant_id: merchantId, attachments }: ClaimedMail): Promise<string | null> {
  const [about] = attachments;
  if (about === undefined) return null;
  if (about.kind === 'invoice' || about.kind === 'void') return about.id;
  const find = { receipt: findTransaction, reminder: findReminder, credit_note: findCreditNote }[about.kind];
  return (await find(db, merchantId, about.id))?.invoice_id ?? null;
}
