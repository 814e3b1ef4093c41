import { stringsFor } from '../../../core/locale/string-tables.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { findMailStates, isUnderWay, type MailSubject, mayHaveArrived } from '../../platform/mail/mail.store.ts';
import { type MailAttachment, type MailText, type NewMail, queueMail } from '../../platform/mail/mail.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { Actor } from '../invoice.store.ts';
import {
  type CreditNoteRow,
  hostedInvoiceUrl,
  type InvoiceRow,
  type InvoiceViewContext,
  type TransactionRow,
} from '../invoice.view.ts';
import { creditNoteMail, invoiceMail, type MailedInvoice, receiptMail, voidMail } from './invoice-mail-text.ts';

/**
 * Deduplication keys of invoice mails. Each key allows one mail: one for each sending, receipt, reminder, credit note
 * and void.
 */
export const mailKey = {
  sent: (invoiceId: string, round: string): string => `invoice.sent:${invoiceId}:${round}`,
  receipt: (transactionId: string): string => `invoice.receipt:${transactionId}`,
  reminder: (reminderId: string): string => `invoice.reminder:${reminderId}`,
  creditNote: (creditNoteId: string): string => `invoice.credit_note:${creditNoteId}`,
  voided: (invoiceId: string): string => `invoice.voided:${invoiceId}`,
};

/** The round of the first sending. Later rounds are named after the invoice's version. */
const firstRound = '1';

/** The address for mails about the invoice. Null if the customer has only the invoice's link. */
export function addresseeOf({ sent_to: sentTo, customer }: InvoiceRow): string | null {
  return customer.email ?? sentTo;
}

/** The invoice with all data for the text of a mail. */
export async function mailedInvoice(
  context: InvoiceViewContext,
  row: InvoiceRow,
  merchant: Merchant,
): Promise<MailedInvoice> {
  return { row, merchant, strings: await stringsFor('mail', row.locale), payUrl: hostedInvoiceUrl(context, row) };
}

/** The merchant of the invoice, and the time of the mail on the merchant's clock. */
export type MailMoment = Pick<Actor, 'merchant' | 'now'>;

interface Sending {
  /** The address for this mail only. Null for the customer's address. */
  readonly email: string | null;
  /** The name of this sending. Each round is mailed once. */
  readonly round?: string;
}

/** The mail that sends the invoice, or null without an address. */
export async function invoiceMailOf(
  context: InvoiceViewContext,
  row: InvoiceRow,
  moment: MailMoment,
  { email, round = firstRound }: Sending,
): Promise<NewMail | null> {
  const text = invoiceMail(await mailedInvoice(context, row, moment.merchant));
  const attachment = { kind: 'invoice', id: row.id } as const;
  return notification(row, moment, text, { key: mailKey.sent(row.id, round), attachment, email });
}

/** Queues the receipt of a payment, in the transaction that books it. `row` is the invoice after the payment. */
export async function queueReceiptMail(
  tx: Tx,
  context: InvoiceViewContext,
  row: InvoiceRow,
  moment: MailMoment,
  transaction: TransactionRow,
): Promise<void> {
  const text = receiptMail(await mailedInvoice(context, row, moment.merchant), transaction);
  const attachment = { kind: 'receipt', id: transaction.id } as const;
  await queueNotification(tx, row, moment, text, { key: mailKey.receipt(transaction.id), attachment });
}

/**
 * Queues the mail of a credit note, in the transaction that writes the note. `row` is the invoice after the note. A
 * note that voids an undelivered invoice gets no mail.
 */
export async function queueCreditNoteMail(
  tx: Tx,
  context: InvoiceViewContext,
  row: InvoiceRow,
  note: CreditNoteRow,
  moment: MailMoment,
): Promise<void> {
  if (await certainlyUndelivered(tx, row, moment.now)) return;
  const text = creditNoteMail(await mailedInvoice(context, row, moment.merchant), note);
  const attachment = { kind: 'credit_note', id: note.id } as const;
  await queueNotification(tx, row, moment, text, { key: mailKey.creditNote(note.id), attachment });
}

/**
 * Queues the mail about a void invoice, in the transaction that voids it. If the customer never receives the invoice,
 * no mail is needed.
 */
export async function queueVoidMail(
  tx: Tx,
  context: InvoiceViewContext,
  row: InvoiceRow,
  moment: MailMoment,
): Promise<void> {
  if (await certainlyUndelivered(tx, row, moment.now)) return;
  const text = voidMail(await mailedInvoice(context, row, moment.merchant));
  const attachment = { kind: 'void', id: row.id } as const;
  await queueNotification(tx, row, moment, text, { key: mailKey.voided(row.id), attachment });
}

interface Notification {
  readonly key: string;
  readonly attachment: MailAttachment;
  /** An address other than the customer's. */
  readonly email?: string | null;
}

/** Queues a mail about the invoice, if there is an address. */
async function queueNotification(
  tx: Tx,
  row: InvoiceRow,
  moment: MailMoment,
  text: MailText,
  about: Notification,
): Promise<void> {
  const mail = notification(row, moment, text, about);
  if (mail !== null) await queueMail(tx, mail);
}

function notification(
  row: InvoiceRow,
  { merchant, now }: MailMoment,
  text: MailText,
  { key, attachment, email = null }: Notification,
): NewMail | null {
  const address = email ?? addresseeOf(row);
  if (address === null) return null;
  return {
    ...text,
    merchantId: row.merchant_id,
    livemode: row.livemode,
    now,
    resource: { type: 'invoice', id: row.id },
    dedupeKey: key,
    to: { name: row.customer.name, email: address },
    attachments: [attachment],
    replyTo: merchant.supportEmail,
  };
}

/** The invoice as the subject of its mails. */
export function mailSubject({ merchant_id: merchantId, livemode, id }: InvoiceRow): MailSubject {
  return { merchantId, livemode, type: 'invoice', id };
}

/**
 * State of the mails that send the invoice. `arrived`: the customer may have the invoice. `leaving`: a process is
 * sending a mail. `waiting`: a mail is queued. `failed`: no mail will arrive. Without any mail, the invoice counts as
 * arrived, because ended mails are deleted after some time.
 */
type Delivery = 'arrived' | 'leaving' | 'waiting' | 'failed';

async function deliveryOf(db: Executor, row: InvoiceRow, now: Date): Promise<Delivery> {
  const mails = await findMailStates(db, mailSubject(row), mailKey.sent(row.id, ''));
  if (mails.length === 0 || mails.some(mayHaveArrived)) return 'arrived';
  if (mails.some(mail => isUnderWay(mail, now))) return 'leaving';
  return mails.some(({ status }) => status === 'queued') ? 'waiting' : 'failed';
}

/**
 * What stops a mail about a void invoice. False: nothing. `outdated`: the customer never received the invoice.
 * `undecided`: a process is sending the invoice now, so the mail waits. Call this after the void is committed, because
 * a queued mail may be sent until then.
 */
export async function voidMailState(
  db: Executor,
  row: InvoiceRow,
  now: Date,
): Promise<false | 'outdated' | 'undecided'> {
  if (row.status !== 'void') return false;
  const delivery = await deliveryOf(db, row, now);
  if (delivery === 'arrived') return false;
  return delivery === 'leaving' ? 'undecided' : 'outdated';
}

/**
 * Whether the customer certainly never receives the void invoice. False for a queued mail, which may be sent before the
 * commit. `voidMailState` decides after the commit.
 */
async function certainlyUndelivered(tx: Tx, row: InvoiceRow, now: Date): Promise<boolean> {
  return row.status === 'void' && (await deliveryOf(tx, row, now)) === 'failed';
}
