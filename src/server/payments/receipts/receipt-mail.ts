import { direction, languageOf } from '../../../core/locale/locale.ts';
import { dateText, moneyText } from '../../../core/locale/locale-format.ts';
import { partName } from '../../../core/locale/part-name.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { findMerchants } from '../../merchants/merchant.store.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { dayIn } from '../../platform/local-day.ts';
import { type MailText, queueMails } from '../../platform/mail/mail.ts';
import type { MailDocuments } from '../../platform/mail/mail-documents.ts';
import { createSentences } from '../../platform/mail/mail-sentences.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { findPayment } from '../payment.store.ts';
import { checkoutUrl, type ViewContext } from '../payment.view.ts';
import type { PaymentRow } from '../tables.ts';
import { drawReceiptOf, receiptLocale, sentText } from './payment-receipt.service.ts';
import { countedParts, phoneOf } from './received-part.ts';

/** A payment before and after a change, at a time on the merchant's clock. */
interface Changed {
  readonly before: PaymentRow;
  readonly after: PaymentRow;
  readonly now: Date;
}

/**
 * Queues the receipts of payments that the change completed, in the change's transaction. A payment with `receipts` has
 * one receipt, sent to the customer's address.
 */
export async function queueReceipts(tx: Tx, context: ViewContext, changes: readonly Changed[]): Promise<void> {
  const completed = changes.filter(({ before, after }) => before.completed_at === null && after.completed_at !== null);
  const due = completed.filter(({ after }) => after.receipts);
  const merchants = await findMerchants(tx, [...new Set(due.map(({ after }) => after.merchant_id))]);
  const mails = due.map(async ({ after: row, now }) => {
    const merchant = merchants.get(row.merchant_id);
    if (merchant === undefined) throw new Error(`merchant ${row.merchant_id} does not exist`);
    return {
      ...(await receiptText(context, row, merchant)),
      merchantId: row.merchant_id,
      livemode: row.livemode,
      now,
      replyTo: merchant.supportEmail,
      resource: { type: 'payment', id: row.id } as const,
      dedupeKey: `payment.receipt:${row.id}`,
      to: { name: row.customer_name, email: row.customer_email },
      attachments: [{ kind: 'receipt', id: row.id } as const],
    };
  });
  await queueMails(tx, await Promise.all(mails));
}

type Deps = ViewContext & { readonly db: Db; readonly findMerchant: (merchantId: string) => Promise<Merchant> };

/** Draws the receipt that a mail carries, and writes the mail's text, at the time of sending. */
export function createReceiptAttachments(deps: Deps): MailDocuments {
  return {
    draw: async ({ merchant_id: merchantId }, { id: paymentId }, signal) => {
      const row = await findPayment(deps.db, { merchantId, paymentId });
      if (row === null) return 'outdated';
      const merchant = await deps.findMerchant(merchantId);
      const bytes = await drawReceiptOf(row, merchant, signal === undefined ? {} : { signal });
      const mailText = await receiptText(deps, row, merchant);
      return { filename: `${row.id}-receipt.pdf`, contentType: 'application/pdf', bytes, mailText };
    },
  };
}

/** The mail with the payment's receipt, in the payment's language. */
async function receiptText(context: ViewContext, row: PaymentRow, merchant: Merchant): Promise<MailText> {
  const locale = receiptLocale(row, merchant);
  const [strings, labels] = [await stringsFor('mail', locale), await stringsFor('document', locale)];
  const say = createSentences(locale, { merchant: merchant.name });
  const amount = moneyText(row.amount_received, row.currency, locale);
  const { customer_name: name, description, reference, completed_at: at } = row;
  const facts: [string, string | null][] = [
    [labels.description, description],
    [labels.reference, reference],
    [labels.paidOn, at && dateText(dayIn(merchant.timezone, at), locale)],
    ...countedParts(row.received).flatMap((part): [string, string | null][] => [
      [partName({ ...part, asset: part.currency, phone: phoneOf(part, row) }, labels.methods), sentText(part, locale)],
      [labels.transaction, part.tx_hash],
    ]),
    [labels.number, row.id],
  ];
  const contact = merchant.supportEmail;
  const subject = say(strings.paymentReceiptSubject);
  const content = {
    language: languageOf(locale),
    direction: direction(locale),
    heading: subject,
    amount,
    paragraphs: [
      name === null ? strings.greetingPlain : say(strings.greeting, { name }),
      say(strings.paymentReceiptText, { amount }),
    ],
    facts: facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value }])),
    action: { label: strings.viewPayment, url: checkoutUrl(context, row) },
    notes: [
      strings.receiptAttached,
      ...(contact === null ? [] : [say(strings.questions, { contact })]),
      ...(row.livemode ? [] : [strings.testMode]),
    ],
  };
  return { subject, content };
}
