import { type DrawingWish, drawInvoice, drawReceipt, drawReminder } from '../../documents/documents.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MailAttachment, MailText } from '../../platform/mail/mail.ts';
import type { MailDocuments } from '../../platform/mail/mail-documents.ts';
import type { DrawnDocument } from '../../platform/mail/mail-message.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { creditNoteDocument, invoiceDocument, receivedPayment } from '../billing/invoice-document.service.ts';
import { findInvoice } from '../invoice.store.ts';
import { isPayable } from '../invoice.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { earlierAmounts, findCreditNote } from '../money/credit.store.ts';
import { timezoneDay } from '../money/invoice-money.service.ts';
import { findTransaction } from '../money/invoice-transaction.store.ts';
import { findReminder } from '../reminders/reminder.store.ts';
import { leftBy } from '../reminders/reminder.ts';
import { mailTextOfReminder, openParts } from '../reminders/reminder-batch.ts';
import {
  endedUnseen,
  mailTextOfCreditNote,
  mailTextOfInvoice,
  mailTextOfReceipt,
  mailTextOfVoid,
  moneyOf,
} from './invoice-notifications.ts';

/** What drawing the documents of mails needs. */
export interface MailAttachmentDeps extends InvoiceViewContext {
  readonly db: Db;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
}

/** The merchant of a document, the time on the merchant's clock, and the reader's wish. */
interface PaperMoment {
  readonly merchant: Merchant;
  readonly now: Date;
  readonly wish: DrawingWish;
}

/** A document, or why there is none. */
type Paper = ReturnType<MailDocuments['draw']>;

/**
 * Draws the attachments of invoice mails and writes their text when the mail leaves, so that both show the same current
 * amounts.
 */
export function createMailAttachments(deps: MailAttachmentDeps): MailDocuments {
  return {
    draw: async ({ merchant_id: merchantId, clock: now }, { kind, id }, signal) => {
      const merchant = await deps.findMerchant(merchantId);
      const wish = signal === undefined ? {} : { signal };
      return await draw[kind](deps, { merchant, now, wish }, id);
    },
  };
}

const draw: Readonly<
  Record<MailAttachment['kind'], (deps: MailAttachmentDeps, moment: PaperMoment, id: string) => Paper>
> = {
  invoice: async (deps, { merchant, now, wish }, invoiceId) => {
    const row = await find(deps, merchant, invoiceId);
    if (row === null || row.status === 'void') return 'outdated';
    const text = await mailTextOfInvoice(deps, row, merchant);
    return pdf(`${row.number}`, await drawInvoice(invoiceDocument(deps, row, merchant, now), wish), text);
  },
  reminder: async (deps, { merchant, now, wish }, reminderId) => {
    const reminder = await findReminder(deps.db, merchant.id, reminderId);
    const row = reminder && (await find(deps, merchant, reminder.invoice_id));
    if (reminder === null || row === null || !isPayable(row.status)) return 'outdated';
    const amountDue = leftBy(reminder.due_date, openParts(row));
    if (amountDue === 0n) return 'outdated';
    const invoice = invoiceDocument(deps, row, merchant, now, amountDue);
    const order = { invoice, date: timezoneDay(row, now), amountDue, dueDate: reminder.due_date };
    const text = await mailTextOfReminder(
      deps,
      row,
      { dueDate: reminder.due_date, amount: amountDue },
      { merchant, now },
    );
    return pdf(`${row.number}-reminder`, await drawReminder(order, wish), text);
  },
  receipt: async (deps, { merchant, now, wish }, transactionId) => {
    const money = await findTransaction(deps.db, merchant.id, transactionId);
    const row = money && (await find(deps, merchant, money.invoice_id));
    if (money === null || row === null) return 'outdated';
    const order = { invoice: invoiceDocument(deps, row, merchant, now), payment: receivedPayment(row, money) };
    const text = await mailTextOfReceipt(deps, row, merchant, moneyOf(money));
    return pdf(`${row.number}-receipt`, await drawReceipt(order, wish), text);
  },
  credit_note: async (deps, { merchant, now, wish }, creditNoteId) => {
    const note = await findCreditNote(deps.db, merchant.id, creditNoteId);
    const row = note && (await find(deps, merchant, note.invoice_id));
    if (note === null || row === null) return 'outdated';
    const unseen = await endedUnseen(deps.db, row, now);
    if (unseen) return unseen;
    const earlier = await earlierAmounts(deps.db, row, note.number);
    const document = creditNoteDocument(invoiceDocument(deps, row, merchant, now), note, row, earlier);
    return pdf(note.number, await drawInvoice(document, wish), await mailTextOfCreditNote(row, note, merchant));
  },
  void: async (deps, { merchant, now, wish }, invoiceId) => {
    const row = await find(deps, merchant, invoiceId);
    if (row === null) return 'outdated';
    const unseen = await endedUnseen(deps.db, row, now);
    if (unseen) return unseen;
    const text = await mailTextOfVoid(row, merchant);
    return pdf(`${row.number}`, await drawInvoice(invoiceDocument(deps, row, merchant, now), wish), text);
  },
};

async function find(
  { db }: MailAttachmentDeps,
  { id: merchantId }: Merchant,
  invoiceId: string,
): Promise<InvoiceRow | null> {
  return await findInvoice(db, { merchantId, invoiceId });
}

/** Numbers may hold slashes; names of files may not. */
function pdf(name: string, bytes: Uint8Array, letter: MailText): DrawnDocument {
  return { filename: `${name.replace(/[^\w.-]+/g, '-')}.pdf`, contentType: 'application/pdf', bytes, letter };
}
