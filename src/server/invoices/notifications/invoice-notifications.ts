import { stringsFor } from '../../../core/locale/string-tables.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type MailAttachment, type MailText, queueMail } from '../../platform/mail/mail.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { installmentsOf, remainingOf } from '../invoice.ts';
import { hostedInvoiceUrl, type InvoiceRow, type InvoiceViewContext } from '../invoice.view.ts';
import { invoiceMail, type MailedInvoice, type MailedMoney, receiptMail } from './invoice-mail-text.ts';

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
