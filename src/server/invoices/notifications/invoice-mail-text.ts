import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { direction, fill, languageOf } from '../../../core/locale/locale.ts';
import { dateText, moneyText } from '../../../core/locale/locale-format.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { MailContent, MailText } from '../../platform/mail/mail.ts';
import type { Merchant } from '../../platform/merchant.ts';

/** What mails say of an invoice, as of the moment they are written. */
export type MailedInvoice = Pick<
  InvoiceDocument,
  | 'number'
  | 'currency'
  | 'locale'
  | 'livemode'
  | 'dueDate'
  | 'total'
  | 'amountPaid'
  | 'amountCredited'
  | 'amountRemaining'
  | 'payUrl'
> & {
  readonly buyerName: string | null;
  readonly installments: readonly Pick<InvoiceDocument['installments'][number], 'dueDate' | 'amount'>[];
};

/** Who writes: the merchant, and where its customers may ask. */
export type MailSender = Pick<Merchant, 'name' | 'supportEmail'>;

type Strings = StringTables['mail'];

/** Sentences and figures in the language of one invoice. */
interface Voice {
  readonly strings: Strings;
  say(sentence: string, values?: Readonly<Record<string, string>>): string;
  money(amount: bigint): string;
  day(date: string): string;
}

/** The mail with which an invoice is sent. */
export function invoiceMail(invoice: MailedInvoice, sender: MailSender, strings: Strings): MailText {
  const voice = voiceOf(invoice, sender, strings);
  const [first] = invoice.installments;
  const plan =
    first === undefined || invoice.installments.length < 2
      ? []
      : [
          voice.say(strings.installmentsText, {
            count: String(invoice.installments.length),
            amount: voice.money(first.amount),
            date: voice.day(first.dueDate),
          }),
        ];
  const values = { amount: voice.money(invoice.total), date: voice.day(invoice.dueDate ?? '') };
  return mailText(invoice, sender, voice, {
    subject: voice.say(strings.invoiceSubject),
    amount: voice.money(invoice.amountRemaining),
    paragraphs: [voice.say(strings.invoiceText, values), ...plan, ...paidSoFar(invoice, voice)],
    label: strings.view,
    notes: [strings.attached],
  });
}

/** What a reminder reminds of. */
export interface RemindedPart {
  readonly dueDate: string;
  /** Remaining amount, in minor units. */
  readonly amount: bigint;
  /** How the day on which it is written stands to the due date. */
  readonly tense: 'before' | 'today' | 'after';
}

/** A reminder: remaining amount, total and due date. */
export function reminderMail(
  invoice: MailedInvoice,
  part: RemindedPart,
  sender: MailSender,
  strings: Strings,
): MailText {
  const voice = voiceOf(invoice, sender, strings);
  const values = { amount: voice.money(part.amount), date: voice.day(part.dueDate) };
  return mailText(invoice, sender, voice, {
    subject: voice.say(strings.reminderSubject[part.tense], values),
    amount: values.amount,
    paragraphs: [voice.say(strings.reminderText[part.tense], values), ...paidSoFar(invoice, voice)],
    label: voice.say(strings.pay, values),
    notes: [strings.alreadyPaid],
  });
}

/** Facts about the total, paid, credited and remaining amounts; none while the whole amount remains. */
function paidSoFar(invoice: MailedInvoice, { say, money, strings }: Voice): string[] {
  const { amountPaid: paid, amountCredited: credited, amountRemaining: remaining, total } = invoice;
  if (paid === 0n && credited === 0n) return [];
  if (remaining === 0n) return [strings.receiptDone];
  const sentence = strings[credited === 0n ? 'partlyPaid' : paid === 0n ? 'partlyCredited' : 'paidAndCredited'];
  return [
    say(sentence, { paid: money(paid), credited: money(credited), total: money(total), remaining: money(remaining) }),
  ];
}

/** Money that came, in minor units: all of it, and of it what was too much and became the customer's credit. */
export interface MailedMoney {
  readonly received: bigint;
  readonly kept: bigint;
}

/** The mail about money received for an invoice. */
export function receiptMail(
  invoice: MailedInvoice,
  { received, kept }: MailedMoney,
  sender: MailSender,
  strings: Strings,
): MailText {
  const voice = voiceOf(invoice, sender, strings);
  const isPaid = invoice.amountRemaining === 0n;
  const rest = { amount: voice.money(invoice.amountRemaining), date: voice.day(invoice.dueDate ?? '') };
  return mailText(invoice, sender, voice, {
    subject: voice.say(strings.receiptSubject),
    amount: voice.money(received),
    paragraphs: [
      voice.say(strings.receiptText, { amount: voice.money(received) }),
      ...(kept === 0n ? [] : [voice.say(strings.creditKept, { amount: voice.money(kept) })]),
      isPaid ? strings.receiptDone : voice.say(strings.receiptRest, rest),
    ],
    label: isPaid ? null : voice.say(strings.pay, rest),
    notes: [],
  });
}

/** What a credit note did, in minor units. */
export interface MailedCreditNote {
  readonly number: string;
  readonly amount: bigint;
  /** Of it, what became the customer's credit. */
  readonly kept: bigint;
}

/** The mail about a credit note; `invoice` as it is after. */
export function creditNoteMail(
  invoice: MailedInvoice,
  { number: note, amount, kept }: MailedCreditNote,
  sender: MailSender,
  strings: Strings,
): MailText {
  const voice = voiceOf(invoice, sender, strings);
  const { amountRemaining } = invoice;
  return mailText(invoice, sender, voice, {
    subject: voice.say(strings.creditNoteSubject, { note }),
    amount: voice.money(amount),
    paragraphs: [
      voice.say(strings.creditNoteText, { note, amount: voice.money(amount) }),
      ...(kept === 0n ? [] : [voice.say(strings.creditKept, { amount: voice.money(kept) })]),
      amountRemaining === 0n
        ? strings.creditNoteDone
        : voice.say(strings.creditNoteRest, { amount: voice.money(amountRemaining) }),
    ],
    label: null,
    notes: [strings.creditNoteAttached],
  });
}

/** The mail about a void invoice. */
export function voidMail(invoice: MailedInvoice, sender: MailSender, strings: Strings): MailText {
  const voice = voiceOf(invoice, sender, strings);
  return mailText(invoice, sender, voice, {
    subject: voice.say(strings.voidSubject),
    amount: null,
    paragraphs: [voice.say(strings.voidText, { amount: voice.money(invoice.total) })],
    label: null,
    notes: [],
  });
}

interface MailParts {
  readonly subject: string;
  readonly amount: string | null;
  readonly paragraphs: readonly string[];
  /** Of the button that leads to the invoice; null: none. */
  readonly label: string | null;
  readonly notes: readonly string[];
}

function mailText(invoice: MailedInvoice, sender: MailSender, voice: Voice, parts: MailParts): MailText {
  const { strings } = voice;
  const name = invoice.buyerName;
  const content: MailContent = {
    language: languageOf(invoice.locale),
    direction: direction(invoice.locale),
    heading: parts.subject,
    amount: parts.amount,
    paragraphs: [name === null ? strings.greetingPlain : voice.say(strings.greeting, { name }), ...parts.paragraphs],
    facts: [],
    action: parts.label === null || invoice.payUrl === null ? null : { label: parts.label, url: invoice.payUrl },
    notes: [
      ...parts.notes,
      ...(sender.supportEmail === null ? [] : [voice.say(strings.questions, { contact: sender.supportEmail })]),
      ...(invoice.livemode ? [] : [strings.testMode]),
    ],
  };
  return { subject: parts.subject, content };
}

function voiceOf({ number, currency, locale }: MailedInvoice, { name }: MailSender, strings: Strings): Voice {
  // In a sentence that runs the other way, names and figures keep their own direction (Unicode UAX 9, isolates).
  const isolated = direction(locale) === 'rtl' ? (text: string) => `\u2068${text}\u2069` : (text: string) => text;
  const always = { number: isolated(number ?? ''), merchant: isolated(name) };
  return {
    strings,
    say: (sentence, values = {}) => {
      const given = Object.entries(values).map(([key, text]) => [key, isolated(text)]);
      return fill(sentence, { ...always, ...Object.fromEntries(given) });
    },
    money: amount => moneyText(amount, currency, locale),
    day: date => (date === '' ? '' : dateText(date, locale)),
  };
}
