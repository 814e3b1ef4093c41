import { html } from 'lit';
import type { PayClient } from '../../api/client.ts';
import type { RecordPayment } from '../../api/invoice/invoice-money.ts';
import type { Invoice, InvoiceWarning } from '../../api/invoice/invoice-view.ts';
import { decimalsOf, decimalText } from '../../element/money-text.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { cappedAmount, cappedAmountField } from '../controls/capped-amount.ts';
import { formField } from '../controls/form-field.ts';
import { moneyWords, timeWords } from '../controls/values.ts';
import { lackWords } from './e-invoice-note.ts';
import { customerWords, invoiceTitle } from './invoice-words.ts';

/** The input of an invoice's actions. `done` gets the sentence for the toast. */
export interface Acting {
  readonly client: PayClient;
  readonly invoice: Invoice;
  /** The fields that the e-invoice lacks. Default: none. */
  readonly warnings?: readonly InvoiceWarning[];
  readonly done: (sentence: string) => void;
}

const sumOf = ({ currency }: Invoice, amount: number) => moneyWords(amount, currency);

function addressField(invoice: Invoice) {
  return (texts: FormTexts, errors: FormTexts, type: (name: string, text: string) => void) =>
    formField({
      label: 'E-mail',
      name: 'email',
      type: 'email',
      value: texts['email'] ?? '',
      error: errors['email'],
      ...(invoice.customer.email !== null && { hint: `Empty: ${invoice.customer.email}` }),
      onInput: value => type('email', value),
    });
}

const mailTo = ({ email }: FormTexts) => (email?.trim() ? { email: email.trim() } : {});
const receiver = (invoice: Invoice, texts: FormTexts) => texts['email']?.trim() || (invoice.customer.email ?? '…');

/** Mails the invoice. A draft gets its number. A sent invoice is mailed again. */
export function sendAction({ client, invoice, warnings = [], done }: Acting): Action {
  const isDraft = invoice.status === 'draft';
  return {
    heading: isDraft ? 'Send this invoice?' : 'Send it again?',
    fields: addressField(invoice),
    effects: texts => [
      { what: 'Mail with PDF and link', result: receiver(invoice, texts) },
      { what: 'Amount', result: sumOf(invoice, invoice.total) },
      ...(warnings.length > 0 ? [{ what: `Without ${lackWords(warnings)}`, result: lackCount(warnings) }] : []),
      ...(isDraft ? [{ what: 'Afterwards', result: 'it has a number and cannot change' }] : []),
    ],
    button: texts => (receiver(invoice, texts) === '…' ? null : 'Send'),
    run: async (texts, idempotencyKey) => {
      const sent = await client.invoices.send(invoice.id, mailTo(texts), { idempotencyKey });
      const lack = lackWords(sent.warnings);
      done(`${sent.number ?? 'Invoice'} sent${isDraft ? '' : ' again'}${lack && `, without ${lack}`}`);
    },
  };
}

const lackCount = ({ length }: readonly unknown[]) => `${length} ${length === 1 ? 'detail is' : 'details are'} missing`;

/** Mails a reminder now. */
export function remindAction({ client, invoice, done }: Acting): Action {
  const { due_date: day } = invoice;
  return {
    heading: 'Remind the customer?',
    fields: addressField(invoice),
    effects: texts => [
      { what: 'Mail', result: receiver(invoice, texts) },
      { what: 'Asks for', result: sumOf(invoice, invoice.amount_remaining) },
      ...(day === null ? [] : [{ what: 'Due', result: timeWords(`${day}T12:00:00`, 'day') }]),
    ],
    button: () => 'Send reminder',
    run: async (texts, idempotencyKey) => {
      await client.invoices.remind(invoice.id, mailTo(texts), { idempotencyKey });
      done('Reminder sent');
    },
  };
}

/** Copies the invoice into a new draft. `open` gets the path of its editor. */
export function copyAction({ client, invoice }: Acting, open: (path: string) => void): Action {
  return {
    heading: 'Copy this invoice?',
    effects: () => [
      { what: 'A new draft', result: 'with the same customer, lines and terms' },
      { what: 'Its dates', result: 'count from today' },
    ],
    button: () => 'Copy',
    run: async (_, idempotencyKey) => {
      const { id } = await client.invoices.duplicate(invoice.id, { idempotencyKey });
      open(`/invoices/${id}/edit`);
    },
  };
}

/** Voids an unpaid invoice. Its number cannot be used again. */
export function voidAction({ client, invoice, done }: Acting): Action {
  return {
    heading: 'Cancel this invoice?',
    effects: () => [
      { what: 'Invoice', result: `${invoiceTitle(invoice)}, ${customerWords(invoice)}` },
      { what: 'The customer', result: 'no longer owes it; the page says Canceled' },
      { what: 'The number', result: 'stays used, as the law wants it' },
      { what: 'Afterwards', result: 'it cannot be opened again' },
    ],
    button: () => 'Cancel invoice',
    isDangerous: true,
    run: async (_, idempotencyKey) => {
      await client.invoices.void(invoice.id, { idempotencyKey });
      done(`${invoiceTitle(invoice)} canceled`);
    },
  };
}

/** Gives up an invoice that the customer will not pay. Money that comes later still pays it. */
export function giveUpAction({ client, invoice, done }: Acting): Action {
  return {
    heading: 'Mark this invoice uncollectible?',
    effects: () => [
      { what: 'Invoice', result: `${invoiceTitle(invoice)}, ${customerWords(invoice)}` },
      { what: 'Counts as a loss', result: sumOf(invoice, invoice.amount_remaining) },
      { what: 'The customer', result: 'is no longer reminded' },
      { what: 'Money that comes later', result: 'still pays it' },
    ],
    button: () => 'Mark uncollectible',
    isDangerous: true,
    run: async (_, idempotencyKey) => {
      await client.invoices.markUncollectible(invoice.id, { idempotencyKey });
      done(`${invoiceTitle(invoice)} marked uncollectible`);
    },
  };
}

const ways = [
  ['bank_transfer', 'Bank transfer'],
  ['cash', 'Cash'],
  ['cheque', 'Cheque'],
  ['card', 'Card elsewhere'],
  ['other', 'Other'],
] as const;

/** Records money that was received elsewhere. */
export function recordAction({ client, invoice, done }: Acting): Action {
  const most = invoice.amount_remaining;
  const cap = { currency: invoice.currency, most };
  const askAmount = cappedAmountField('Received', cap);
  return {
    heading: 'Record a payment',
    start: { amount: decimalText(most, decimalsOf(invoice.currency)), method: 'bank_transfer' },
    fields: (texts, errors, type) => html`${askAmount(texts, errors, type)}
      ${formField({
        label: 'By',
        name: 'method',
        value: texts['method'] ?? '',
        options: ways,
        onInput: value => type('method', value),
      })}`,
    effects: texts => {
      const amount = cappedAmount(texts, cap) ?? 0;
      return [
        { what: 'Counts as paid', result: sumOf(invoice, amount) },
        { what: 'Then still to pay', result: sumOf(invoice, most - amount) },
      ];
    },
    button: texts => (cappedAmount(texts, cap) === null ? null : 'Record payment'),
    run: async (texts, idempotencyKey) => {
      const amount = cappedAmount(texts, cap) ?? most;
      const method = texts['method'] as NonNullable<RecordPayment['method']>;
      await client.invoices.recordPayment(invoice.id, { amount, method }, { idempotencyKey });
      done(`${sumOf(invoice, amount)} recorded`);
    },
  };
}
