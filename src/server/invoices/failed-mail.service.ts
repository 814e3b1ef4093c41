import type { Executor, Tx } from '../platform/db/database.ts';
import type { ClaimedMail } from '../platform/mail/mail.store.ts';
import { changeInvoice, lockInvoice } from './invoice.store.ts';
import { type InvoiceViewContext, invoiceMailToWire } from './invoice.view.ts';
import { findCreditNote } from './money/credit-note.store.ts';
import { findTransaction } from './money/invoice-transaction.store.ts';
import { findReminder } from './reminders/reminder.store.ts';

/** Records `invoice.mail_failed`, in the transaction that marks the mail as failed. */
export async function reportFailedMail(tx: Tx, context: InvoiceViewContext, mail: ClaimedMail): Promise<void> {
  const invoiceId = await invoiceOf(tx, mail);
  if (invoiceId === null) return;
  const row = await lockInvoice(tx, { merchantId: mail.merchant_id, invoiceId });
  const failed = { type: 'invoice.mail_failed', fields: { mail: invoiceMailToWire(mail, invoiceId) } } as const;
  await changeInvoice(tx, context, row, { events: [failed], now: mail.clock });
}

async function invoiceOf(
  db: Executor,
  { merchant_id: merchantId, resource_type: type, attachments }: ClaimedMail,
): Promise<string | null> {
  const [about] = attachments;
  if (about === undefined || type !== 'invoice') return null;
  if (about.kind === 'invoice' || about.kind === 'void') return about.id;
  const find = { receipt: findTransaction, reminder: findReminder, credit_note: findCreditNote }[about.kind];
  return (await find(db, merchantId, about.id))?.invoice_id ?? null;
}
