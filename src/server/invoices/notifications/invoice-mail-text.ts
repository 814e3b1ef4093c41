import { direction, languageOf } from '../../../core/locale/locale.ts';
import { dateText, moneyText } from '../../../core/locale/locale-format.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { MailContent, MailText } from '../../platform/mail/mail.ts';
import { createSentences } from '../../platform/mail/mail-sentences.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { nextDue, remainingOf } from '../invoice.ts';
import type { CreditNoteRow, InvoiceRow, TransactionRow } from '../invoice.view.ts';

/** An invoice at the time of a mail, its merchant, and the texts in the invoice's language. */
export interface MailedInvoice {
  readonly row: InvoiceRow;
  readonly merchant: Merchant;
  readonly strings: StringTables['mail'];
  /** URL of the customer's payment page. */
  readonly payUrl: string | null;
}

/** The mail that sends an invoice. */
export function invoiceMail(invoice: MailedInvoice): MailText {
  const { row, strings } = invoice;
  const { say, money, day } = formatsOf(invoice);
  const [first, ...more] = row.plan;
  const values = { amount: money(row.total), date: day(row.due_date) };
  return mailText(invoice, {
    subject: say(strings.invoiceSubject),
    amount: money(remainingOf(row)),
    paragraphs: [
      say(strings.invoiceText, values),
      ...(first === undefined || more.length === 0
        ? []
        : [
            say(strings.installmentsText, {
              count: String(row.plan.length),
              amount: money(BigInt(first.amount)),
              date: day(first.due_date),
            }),
          ]),
      ...paidSoFar(invoice),
    ],
    label: strings.view,
    notes: [strings.attached],
  });
}

/** The invoice or the instalment that a reminder is about. */
export interface RemindedPart {
  readonly dueDate: string;
  /** Remaining amount that is due on or before the due date, in minor units. */
  readonly amount: bigint;
  /** Whether the mail is sent before, on or after the due date. */
  readonly tense: 'before' | 'today' | 'after';
}

/** The mail of a reminder: the amount to pay, its due date, and the amounts paid so far. */
export function reminderMail(invoice: MailedInvoice, part: RemindedPart): MailText {
  const { strings } = invoice;
  const { say, money, day } = formatsOf(invoice);
  const values = { amount: money(part.amount), date: day(part.dueDate) };
  return mailText(invoice, {
    subject: say(strings.reminderSubject[part.tense], values),
    amount: values.amount,
    paragraphs: [say(strings.reminderText[part.tense], values), ...paidSoFar(invoice)],
    label: say(strings.pay, values),
    notes: [strings.alreadyPaid],
  });
}

/** A sentence about the paid, credited and remaining amounts. Empty while the whole amount remains. */
function paidSoFar(invoice: MailedInvoice): string[] {
  const { row, strings } = invoice;
  const { amount_paid: paid, amount_credited: credited, total } = row;
  const remaining = remainingOf(row);
  if (paid === 0n && credited === 0n) return [];
  if (remaining === 0n) return [strings.receiptDone];
  const { say, money } = formatsOf(invoice);
  const sentence = strings[credited === 0n ? 'partlyPaid' : paid === 0n ? 'partlyCredited' : 'paidAndCredited'];
  return [
    say(sentence, { paid: money(paid), credited: money(credited), total: money(total), remaining: money(remaining) }),
  ];
}

/** The mail about money received for an invoice. It asks for the next due part. */
export function receiptMail(
  invoice: MailedInvoice,
  { amount, amount_overpaid: kept }: Pick<TransactionRow, 'amount' | 'amount_overpaid'>,
): MailText {
  const { row, strings } = invoice;
  const { say, money, day } = formatsOf(invoice);
  const received = { amount: money(amount + kept) };
  const isPaid = remainingOf(row) === 0n;
  const next = nextDue(row) ?? { amount: remainingOf(row), dueDate: row.due_date };
  const isPart = next.amount < remainingOf(row);
  const due = { amount: money(next.amount), date: day(next.dueDate), remaining: money(remainingOf(row)) };
  return mailText(invoice, {
    subject: say(strings.receiptSubject),
    amount: received.amount,
    paragraphs: [
      say(strings.receiptText, received),
      ...(kept === 0n ? [] : [say(strings.creditKept, { amount: money(kept) })]),
      isPaid ? strings.receiptDone : say(isPart ? strings.receiptNext : strings.receiptRest, due),
    ],
    label: isPaid ? null : say(strings.pay, due),
    notes: [],
  });
}

/** The mail about a credit note. `invoice` is the invoice after the note. */
export function creditNoteMail(invoice: MailedInvoice, note: CreditNoteRow): MailText {
  const { row, strings } = invoice;
  const { say, money } = formatsOf(invoice);
  const values = { note: note.number, amount: money(note.amount) };
  const [kept, remaining] = [note.amount_to_credit, remainingOf(row)];
  return mailText(invoice, {
    subject: say(strings.creditNoteSubject, { note: note.number }),
    amount: values.amount,
    paragraphs: [
      say(strings.creditNoteText, values),
      ...(kept === 0n ? [] : [say(strings.creditKept, { amount: money(kept) })]),
      remaining === 0n ? strings.creditNoteDone : say(strings.creditNoteRest, { amount: money(remaining) }),
    ],
    label: null,
    notes: [strings.creditNoteAttached],
  });
}

/** The mail about a void invoice. */
export function voidMail(invoice: MailedInvoice): MailText {
  const { row, strings } = invoice;
  const { say, money } = formatsOf(invoice);
  return mailText(invoice, {
    subject: say(strings.voidSubject),
    amount: null,
    paragraphs: [say(strings.voidText, { amount: money(row.total) })],
    label: null,
    notes: [],
  });
}

interface MailParts {
  readonly subject: string;
  readonly amount: string | null;
  readonly paragraphs: readonly string[];
  /** Label of the button that opens the invoice. Null: no button. */
  readonly label: string | null;
  readonly notes: readonly string[];
}

function mailText(invoice: MailedInvoice, { subject, amount, paragraphs, label, notes }: MailParts): MailText {
  const { row, merchant, strings, payUrl } = invoice;
  const { say } = formatsOf(invoice);
  const { name } = row.customer;
  const contact = merchant.supportEmail;
  const content: MailContent = {
    language: languageOf(row.locale),
    direction: direction(row.locale),
    heading: subject,
    amount,
    paragraphs: [name === null ? strings.greetingPlain : say(strings.greeting, { name }), ...paragraphs],
    facts: [],
    action: label === null || payUrl === null ? null : { label, url: payUrl },
    notes: [
      ...notes,
      ...(contact === null ? [] : [say(strings.questions, { contact })]),
      ...(row.livemode ? [] : [strings.testMode]),
    ],
  };
  return { subject, content };
}

/** Fills sentences and formats amounts and dates in the invoice's language. */
function formatsOf({ row: { number, currency, locale }, merchant }: MailedInvoice) {
  return {
    say: createSentences(locale, { number: number ?? '', merchant: merchant.name }),
    money: (amount: bigint) => moneyText(amount, currency, locale),
    day: (date: string | null) => (date === null ? '' : dateText(date, locale)),
  };
}
