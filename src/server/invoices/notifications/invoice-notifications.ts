import { stringsFor } from '../../../core/locale/string-tables.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import {
  type ClaimedMail,
  findMailStates,
  isUnderWay,
  type MailSubject,
  mayHaveArrived,
} from '../../platform/mail/mail.store.ts';
import { type MailAttachment, type MailText, queueMail } from '../../platform/mail/mail.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { changeInvoice, lockInvoice } from '../invoice.store.ts';
import { installmentsOf, remainingOf } from '../invoice.ts';
import {
  type CreditNoteRow,
  hostedInvoiceUrl,
  type InvoiceRow,
  type InvoiceViewContext,
  invoiceMailToWire,
} from '../invoice.view.ts';
import { findCreditNote } from '../money/credit.store.ts';
import { findTransaction } from '../money/invoice-transaction.store.ts';
import { findReminder } from '../reminders/reminder.store.ts';
import {
  creditNoteMail,
  invoiceMail,
  type MailedInvoice,
  type MailedMoney,
  receiptMail,
  voidMail,
} from './invoice-mail-text.ts';

/**
 * Where mails about the invoice go: to its customer, wherever it was mailed besides. Null: its customer is reached by its link
 * alone.
 */
export function addresseeOf({ sent_to: sentTo, customer }: InvoiceRow): string | null {
  return customer.email ?? sentTo;
}

/** What a mail says of the invoice, from its row and the address of its page. */
export function mailedInvoice(row: InvoiceRow, payUrl: string | null): MailedInvoice {
  return {
    number: row.number,
    currency: row.currency,
    locale: row.locale,
    livemode: row.livemode,
    dueDate: row.due_date,
    total: row.total,
    amountPaid: row.amount_paid,
    amountCredited: row.amount_credited,
    amountRemaining: remainingOf(row),
    payUrl,
    buyerName: row.customer.name,
    installments: installmentsOf(row, null).flatMap(({ dueDate, amount }) =>
      dueDate === null ? [] : [{ dueDate, amount }],
    ),
  };
}

/** Whose invoice it is, and when its mail is written: on the merchant's clock. */
export interface MailMoment {
  readonly merchant: Merchant;
  readonly now: Date;
}

/** What the mail says that sends the invoice, as it stands. */
export async function mailTextOfInvoice(
  context: InvoiceViewContext,
  row: InvoiceRow,
  merchant: Merchant,
): Promise<MailText> {
  const strings = await stringsFor('mail', row.locale);
  return invoiceMail(mailedInvoice(row, hostedInvoiceUrl(context, row)), merchant, strings);
}

/** What a transaction brought: all of it, and of it what was too much. */
export function moneyOf({
  amount,
  amount_overpaid: kept,
}: {
  readonly amount: bigint;
  readonly amount_overpaid: bigint;
}): MailedMoney {
  return { received: amount + kept, kept };
}

/** The text of a receipt mail. */
export async function mailTextOfReceipt(
  context: InvoiceViewContext,
  row: InvoiceRow,
  merchant: Merchant,
  money: MailedMoney,
): Promise<MailText> {
  const strings = await stringsFor('mail', row.locale);
  return receiptMail(mailedInvoice(row, hostedInvoiceUrl(context, row)), money, merchant, strings);
}

/** One sending of an invoice. */
export interface Sending {
  /** Where this one mail goes; null: to the customer. */
  readonly email: string | null;
  /** Counts sendings: the same one is mailed once. */
  readonly round?: string;
}

/** Puts the mail that sends the invoice into the outbox, in the transaction that sends it; nothing without an address. */
export async function queueInvoiceMail(
  tx: Tx,
  context: InvoiceViewContext,
  row: InvoiceRow,
  moment: MailMoment,
  { email, round = firstRound }: Sending,
): Promise<void> {
  await queueNotification(tx, row, moment, await mailTextOfInvoice(context, row, moment.merchant), {
    key: mailKey.sent(row.id, round),
    attachment: { kind: 'invoice', id: row.id },
    email,
  });
}

/**
 * Thanks the customer for money that came for the invoice, in the transaction that counts it. `transactionId` names the
 * money: it is thanked for once. `row` as it is after.
 */
export async function queueReceiptMail(
  tx: Tx,
  context: InvoiceViewContext,
  row: InvoiceRow,
  moment: MailMoment,
  { transactionId, money }: { readonly transactionId: string; readonly money: MailedMoney },
): Promise<void> {
  const text = await mailTextOfReceipt(context, row, moment.merchant, money);
  const attachment = { kind: 'receipt', id: transactionId } as const;
  await queueNotification(tx, row, moment, text, { key: mailKey.receipt(transactionId), attachment });
}

interface MailPost {
  readonly key: string;
  readonly attachment: MailAttachment;
  /** Where it goes instead of to the customer. */
  readonly email?: string | null;
}

/** Puts a mail about the invoice into the outbox; nothing without an address. */
export async function queueNotification(
  tx: Tx,
  row: InvoiceRow,
  { merchant, now }: MailMoment,
  text: MailText,
  { key, attachment, email = null }: MailPost,
): Promise<void> {
  const address = email ?? addresseeOf(row);
  if (address === null) return;
  await queueMail(tx, {
    ...text,
    ...{ merchantId: row.merchant_id, livemode: row.livemode, now },
    resource: { type: 'invoice', id: row.id },
    dedupeKey: key,
    to: { name: row.customer.name, email: address },
    attachments: [attachment],
    replyTo: merchant.supportEmail,
  });
}

/**
 * Deduplication keys of invoice mails. Each key allows one mail: one per sending, receipt, reminder, credit note and
 * void.
 */
export const mailKey = {
  sent: (invoiceId: string, round: string): string => `invoice.sent:${invoiceId}:${round}`,
  receipt: (transactionId: string): string => `invoice.receipt:${transactionId}`,
  reminder: (reminderId: string): string => `invoice.reminder:${reminderId}`,
  creditNote: (creditNoteId: string): string => `invoice.credit_note:${creditNoteId}`,
  voided: (invoiceId: string): string => `invoice.voided:${invoiceId}`,
};

/** The round in which an invoice is sent at first; later ones are named by its version. */
const firstRound = '1';

/**
 * How far the mails got that send the invoice. `arrived`: the customer may have one of them; what was forgotten had left long ago.
 * `leaving`: a process has one, and its end was not sent yet. `waiting`: no process has one, and one may be taken at any moment.
 * `turned_away`: none will come.
 */
type Mailing = 'arrived' | 'leaving' | 'waiting' | 'turned_away';

/** How far the invoice got by mail, at `now` on the merchant's clock. */
async function mailingOf(db: Executor, row: InvoiceRow, now: Date): Promise<Mailing> {
  const mails = await findMailStates(db, mailSubject(row), mailKey.sent(row.id, ''));
  if (mails.length === 0 || mails.some(mayHaveArrived)) return 'arrived';
  if (mails.some(mail => isUnderWay(mail, now))) return 'leaving';
  return mails.some(({ status }) => status === 'queued') ? 'waiting' : 'turned_away';
}

/** The invoice as the subject of its mails. */
export function mailSubject({ merchant_id: merchantId, livemode, id }: InvoiceRow): MailSubject {
  return { merchantId, livemode, type: 'invoice', id };
}

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
  const row = await lockInvoice(tx, { merchantId: mail.merchant_id, invoiceId });
  const failed = { type: 'invoice.mail_failed', fields: { mail: invoiceMailToWire(mail, invoiceId) } } as const;
  await changeInvoice(tx, context, row, { events: [failed], now: mail.clock });
}

async function invoiceOf(db: Executor, { merchant_id: merchantId, attachments }: ClaimedMail): Promise<string | null> {
  const [about] = attachments;
  if (about === undefined) return null;
  if (about.kind === 'invoice' || about.kind === 'void') return about.id;
  const find = { receipt: findTransaction, reminder: findReminder, credit_note: findCreditNote }[about.kind];
  return (await find(db, merchantId, about.id))?.invoice_id ?? null;
}
