import { type DrawingReader, drawInvoice, drawReceipt, drawReminder } from '../documents/documents.ts';
import type { MailAttachment, MailText } from '../platform/mail/mail.ts';
import type { MailDocuments } from '../platform/mail/mail-documents.ts';
import type { DrawnDocument } from '../platform/mail/mail-message.ts';
import { invoiceDocument, receivedPayment } from './billing/invoice-document.service.ts';
import { issuedInvoice, withIssuedXml } from './billing/issued-xml.service.ts';
import { creditNoteDocument } from './credit-notes/credit-note-document.ts';
import { findInvoice } from './invoice.store.ts';
import { isPayable } from './invoice.ts';
import type { InvoiceDeps, InvoiceViewContext } from './invoice.view.ts';
import { earlierNotes, findCreditNote } from './money/credit-note.store.ts';
import { sellerDay } from './money/invoice-money.service.ts';
import { findTransaction } from './money/invoice-transaction.store.ts';
import { creditNoteMail, invoiceMail, receiptMail, reminderMail, voidMail } from './notifications/invoice-mail-text.ts';
import { type MailMoment, mailedInvoice, voidMailState } from './notifications/invoice-notifications.ts';
import { findReminder } from './reminders/reminder.store.ts';
import { leftBy, openParts, remindedPart } from './reminders/reminder.ts';

type Deps = InvoiceViewContext & Pick<InvoiceDeps, 'db' | 'findMerchant'>;

interface DrawingMoment extends MailMoment {
  readonly reader: DrawingReader;
}

type Drawn = ReturnType<MailDocuments['draw']>;

/** Draws attachments and writes texts at the time of sending, so that both show the same amounts. */
export function createMailAttachments(deps: Deps): MailDocuments {
  return {
    draw: async ({ merchant_id: merchantId, clock: now }, { kind, id }, signal) => {
      const merchant = await deps.findMerchant(merchantId);
      const reader = signal === undefined ? {} : { signal };
      return await draw[kind](deps, { merchant, now, reader }, id);
    },
  };
}

const draw: Readonly<Record<MailAttachment['kind'], (deps: Deps, moment: DrawingMoment, id: string) => Drawn>> = {
  invoice: async (deps, { merchant, now, reader }, invoiceId) => {
    const row = await findInvoice(deps.db, { merchantId: merchant.id, invoiceId });
    if (row === null || row.status === 'void') return 'outdated';
    const text = invoiceMail(await mailedInvoice(deps, row, merchant));
    const document = await withIssuedXml(deps, await issuedInvoice(deps, row, merchant, now));
    return pdf(`${row.number}`, await drawInvoice(document, reader), text);
  },
  reminder: async (deps, { merchant, now, reader }, reminderId) => {
    const reminder = await findReminder(deps.db, merchant.id, reminderId);
    const row = reminder && (await findInvoice(deps.db, { merchantId: merchant.id, invoiceId: reminder.invoice_id }));
    if (reminder === null || row === null || !isPayable(row.status)) return 'outdated';
    const { due_date: dueDate } = reminder;
    const amountDue = leftBy(dueDate, openParts(row));
    if (amountDue === 0n) return 'outdated';
    const invoice = invoiceDocument(deps, row, merchant, now, amountDue);
    const order = { invoice, date: sellerDay(row, now), amountDue, dueDate };
    const text = reminderMail(await mailedInvoice(deps, row, merchant), remindedPart(row, dueDate, amountDue, now));
    return pdf(`${row.number}-reminder`, await drawReminder(order, reader), text);
  },
  receipt: async (deps, { merchant, now, reader }, transactionId) => {
    const money = await findTransaction(deps.db, merchant.id, transactionId);
    const row = money && (await findInvoice(deps.db, { merchantId: merchant.id, invoiceId: money.invoice_id }));
    if (money === null || row === null) return 'outdated';
    const order = { invoice: invoiceDocument(deps, row, merchant, now), payment: receivedPayment(row, money) };
    const text = receiptMail(await mailedInvoice(deps, row, merchant), money);
    return pdf(`${row.number}-receipt`, await drawReceipt(order, reader), text);
  },
  credit_note: async (deps, { merchant, now, reader }, creditNoteId) => {
    const note = await findCreditNote(deps.db, merchant.id, creditNoteId);
    const row = note && (await findInvoice(deps.db, { merchantId: merchant.id, invoiceId: note.invoice_id }));
    if (note === null || row === null) return 'outdated';
    const unseen = await voidMailState(deps.db, row, now);
    if (unseen) return unseen;
    const earlier = await earlierNotes(deps.db, row, note.number);
    const credited = creditNoteDocument(invoiceDocument(deps, row, merchant, now), note, row, earlier);
    const document = await withIssuedXml(deps, { row, document: credited, now });
    const text = creditNoteMail(await mailedInvoice(deps, row, merchant), note);
    return pdf(note.number, await drawInvoice(document, reader), text);
  },
  void: async (deps, { merchant, now, reader }, invoiceId) => {
    const row = await findInvoice(deps.db, { merchantId: merchant.id, invoiceId });
    if (row === null) return 'outdated';
    const unseen = await voidMailState(deps.db, row, now);
    if (unseen) return unseen;
    const text = voidMail(await mailedInvoice(deps, row, merchant));
    const document = await withIssuedXml(deps, await issuedInvoice(deps, row, merchant, now));
    return pdf(`${row.number}`, await drawInvoice(document, reader), text);
  },
};

/** A PDF attachment. Replaces characters that file names may not contain, such as the slashes of invoice numbers. */
function pdf(name: string, bytes: Uint8Array, mailText: MailText): DrawnDocument {
  return { filename: `${name.replace(/[^\w.-]+/g, '-')}.pdf`, contentType: 'application/pdf', bytes, mailText };
}
