import type { Executor, Tx } from '../../platform/db/database.ts';
import { announceChange, recordEvent } from '../../platform/events/outbox.ts';
import type { ClaimedMail } from '../../platform/mail/mail.store.ts';
import { findCreditNote } from '../credit-note.store.ts';
import { lockInvoice } from '../invoice.store.ts';
import { type InvoiceViewContext, invoiceToWire } from '../invoice.view.ts';
import { countEvents, findReminder } from '../reminders/reminder.store.ts';
import { invoiceMailToWire } from './letter-mail.view.ts';
import { findTransaction } from './paper.store.ts';

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
  await recordEvent(tx, {
    ...{ merchantId, livemode, resourceId: invoiceId, sequence, now, previous: null },
    type: 'invoice.mail_failed',
    object: { ...invoiceToWire(context, row, now), mail: invoiceMailToWire(mail, invoiceId) },
  });
  await announceChange(tx, { merchantId, resourceId: invoiceId });
}

async function invoiceOf(db: Executor, { merchant_id: merchantId, attachments }: ClaimedMail): Promise<string | null> {
  const [about] = attachments;
  if (about === undefined) return null;
  if (about.kind === 'invoice' || about.kind === 'void') return about.id;
  const find = { receipt: findTransaction, reminder: findReminder, credit_note: findCreditNote }[about.kind];
  return (await find(db, merchantId, about.id))?.invoice_id ?? null;
}
