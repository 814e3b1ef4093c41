import { html, type TemplateResult } from 'lit';
import type { Account, UpdateAccount } from '../../api/merchant.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalsOf, decimalText } from '../../element/money-text.ts';
import { addressFields, addressText, typedAddress } from '../app/typed-address.ts';
import type { FormField } from '../controls/form-field.ts';
import { ShownError } from '../controls/states.ts';
import './approval-limit-notes.ts';

/** One field of the account in a form. */
export interface Setting extends Omit<FormField, 'value' | 'error' | 'onInput'> {
  readonly read: (account: Account) => string;
}

/** Settings that are saved together. */
export interface Section {
  readonly heading: string;
  readonly text: string;
  readonly settings: readonly Setting[];
  /** The request body for the typed texts. Each setting has one text. Throws ShownError for a text that cannot be sent. */
  readonly body: (texts: Readonly<Record<string, string>>) => UpdateAccount;
  /** What people should know before they change the settings. */
  readonly notes?: (account: Account) => TemplateResult;
  /** The toast after saving, if it is not that the settings are saved. */
  readonly outcome?: (before: Account, after: Account) => string | null;
}

const orNull = (text: string | undefined): string | null => text?.trim() || null;
const lines = (text: string | undefined): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean);
const yesOrNo = [
  ['yes', 'Yes'],
  ['no', 'No'],
] as const;
const yes = (isSo: boolean) => (isSo ? 'yes' : 'no');

const business: Section = {
  heading: 'Business',
  text: 'Payers see the name and the contact. Invoices also show address, tax id and registration.',
  settings: [
    { label: 'Name', name: 'name', required: true, maxLength: 100, read: ({ name }) => name },
    {
      label: 'Support e-mail',
      name: 'support_email',
      type: 'email',
      maxLength: 254,
      read: ({ support_email: email }) => email ?? '',
    },
    {
      label: 'Support page',
      name: 'support_url',
      type: 'url',
      maxLength: 2048,
      read: ({ support_url: url }) => url ?? '',
    },
    ...addressFields.map(field => ({ ...field, read: ({ address }: Account) => addressText(address, field.name) })),
    {
      label: 'Tax id',
      name: 'tax_id',
      maxLength: 60,
      hint: 'Inside the EU the VAT number, for example DE123456789.',
      read: ({ tax_id: id }) => id ?? '',
    },
    {
      label: 'Legal registration',
      name: 'legal_registration',
      maxLength: 60,
      hint: 'For example HRB 12345, Amtsgericht Bonn.',
      read: ({ legal_registration: entry }) => entry ?? '',
    },
  ],
  body: texts => ({
    name: texts['name'] ?? '',
    support_email: orNull(texts['support_email']),
    support_url: orNull(texts['support_url']),
    address: typedAddress(texts),
    tax_id: orNull(texts['tax_id']),
    legal_registration: orNull(texts['legal_registration']),
  }),
};

const checkout: Section = {
  heading: 'Checkout',
  text: 'Where the checkout may run, and how long payers have.',
  settings: [
    {
      label: 'Allowed origins',
      name: 'allowed_origins',
      rows: 3,
      placeholder: 'https://shop.example',
      hint: 'Pages that may use your publishable key. One in each line.',
      read: ({ allowed_origins: origins }) => origins.join('\n'),
    },
    {
      label: 'Redirect origins',
      name: 'redirect_origins',
      rows: 3,
      hint: 'Sites that payers may return to. One in each line.',
      read: ({ redirect_origins: origins }) => origins.join('\n'),
    },
    {
      label: 'Pages may choose the amount',
      name: 'client_amounts',
      options: yesOrNo,
      hint: 'Safer is No: then prices come from your server or from links.',
      read: ({ client_amounts: may }) => yes(may),
    },
    {
      label: 'A rate is held for (seconds)',
      name: 'quote_seconds',
      type: 'number',
      inputMode: 'numeric',
      read: ({ quote_seconds: seconds }) => String(seconds),
    },
    {
      label: 'A payment can be paid for (seconds)',
      name: 'session_seconds',
      type: 'number',
      inputMode: 'numeric',
      read: ({ session_seconds: seconds }) => String(seconds),
    },
    {
      label: 'Shortfall that counts as paid (percent)',
      name: 'tolerance.percent',
      inputMode: 'decimal',
      read: ({ tolerance: { percent } }) => String(percent),
    },
    {
      label: 'Crypto counts at its rate for (seconds after the end)',
      name: 'quote_grace_seconds',
      type: 'number',
      inputMode: 'numeric',
      read: ({ quote_grace_seconds: seconds }) => String(seconds),
    },
    {
      label: 'Later crypto',
      name: 'late_money',
      options: [
        ['wait', 'Waits for your decision'],
        ['market', 'Counts at the rate of its arrival'],
      ],
      read: ({ late_money: what }) => what,
    },
    {
      label: 'Match transfers by amount',
      name: 'match_bank_credits_by_amount',
      options: yesOrNo,
      hint: 'Only transfers without a reference, when one payment waits for the amount.',
      read: ({ match_bank_credits_by_amount: may }) => yes(may),
    },
    {
      label: 'Receipts by mail',
      name: 'receipts',
      options: yesOrNo,
      read: ({ receipts }) => yes(receipts),
    },
    {
      label: 'Language',
      name: 'locale',
      maxLength: 35,
      hint: 'auto: the language of the payer’s browser.',
      read: ({ locale }) => locale,
    },
  ],
  body: texts => ({
    allowed_origins: lines(texts['allowed_origins']),
    redirect_origins: lines(texts['redirect_origins']),
    client_amounts: texts['client_amounts'] === 'yes',
    quote_seconds: Number(texts['quote_seconds']),
    session_seconds: Number(texts['session_seconds']),
    tolerance: { percent: Number((texts['tolerance.percent'] ?? '').replace(',', '.')) },
    quote_grace_seconds: Number(texts['quote_grace_seconds']),
    late_money: texts['late_money'] === 'market' ? 'market' : 'wait',
    match_bank_credits_by_amount: texts['match_bank_credits_by_amount'] === 'yes',
    receipts: texts['receipts'] === 'yes',
    locale: texts['locale'] || 'auto',
  }),
};

const invoices: Section = {
  heading: 'Invoices',
  text: 'Numbers, days, and the bank account and contact person that invoices name.',
  settings: [
    { label: 'Prefix of numbers', name: 'invoice_prefix', maxLength: 20, read: ({ invoice_prefix: prefix }) => prefix },
    {
      label: 'Time zone',
      name: 'timezone',
      maxLength: 60,
      hint: 'For example Europe/Berlin.',
      read: ({ timezone }) => timezone,
    },
    {
      label: 'IBAN',
      name: 'bank_account.iban',
      maxLength: 50,
      hint: 'Invoices in euros get a code for SEPA transfers, Swiss ones a QR-bill. A QR-IBAN gives it a QR reference.',
      read: ({ bank_account: bank }) => bank?.iban ?? '',
    },
    { label: 'BIC', name: 'bank_account.bic', maxLength: 11, read: ({ bank_account: bank }) => bank?.bic ?? '' },
    {
      label: 'Contact person',
      name: 'contact.name',
      maxLength: 100,
      hint: 'Whom buyers may ask. XRechnung needs it.',
      read: ({ contact }) => contact?.name ?? '',
    },
    {
      label: 'Phone of the contact',
      name: 'contact.phone',
      type: 'tel',
      maxLength: 40,
      read: ({ contact }) => contact?.phone ?? '',
    },
    {
      label: 'E-mail of the contact',
      name: 'contact.email',
      type: 'email',
      maxLength: 254,
      read: ({ contact }) => contact?.email ?? '',
    },
  ],
  body: texts => {
    const iban = orNull(texts['bank_account.iban']);
    const contact = { phone: orNull(texts['contact.phone']), email: orNull(texts['contact.email']) };
    const name = texts['contact.name'] ?? '';
    const hasContact = name !== '' || contact.phone !== null || contact.email !== null;
    return {
      invoice_prefix: texts['invoice_prefix'] ?? '',
      timezone: texts['timezone'] ?? '',
      bank_account: iban === null ? null : { iban, bic: orNull(texts['bank_account.bic']) },
      contact: hasContact ? { name, ...contact } : null,
    };
  },
};

const limitName = 'payouts.approval_above.amount';

const approvalLimit: Section = {
  heading: 'Approval limit',
  text:
    'What may leave within 24 hours without a second person: payouts, withdrawals, conversions, and refunds to another ' +
    'account. What exceeds it waits for an approval.',
  settings: [
    {
      label: 'Amount',
      name: limitName,
      inputMode: 'decimal',
      maxLength: 30,
      placeholder: '500.00',
      hint: 'Empty: no limit. 0: everything waits.',
      read: ({ payouts: { approval_above: limit } }) =>
        limit === null ? '' : decimalText(limit.amount, decimalsOf(limit.currency)),
    },
    {
      label: 'Currency',
      name: 'payouts.approval_above.currency',
      maxLength: 3,
      hint: 'Other currencies and assets count at their market rate.',
      read: ({ payouts: { approval_above: limit } }) => limit?.currency ?? 'EUR',
    },
  ],
  body: texts => {
    const typed = orNull(texts[limitName]);
    if (typed === null) return { payouts: { approval_above: null } };
    const currency = (texts['payouts.approval_above.currency'] ?? '').toUpperCase();
    const amount = parseAmount(typed, decimalsOf(currency), '.');
    if (amount === null) throw new ShownError('Write the amount as a number, for example 500.00.', limitName);
    return { payouts: { approval_above: { amount, currency } } };
  },
  notes: account => html`<pay-approval-limit-notes .account=${account}></pay-approval-limit-notes>`,
  outcome: ({ payouts: before }, { payouts: after }) => {
    if (after.approval_change !== undefined) return 'The new limit waits for another person';
    const isSame =
      before.approval_above?.amount === after.approval_above?.amount &&
      before.approval_above?.currency === after.approval_above?.currency;
    return before.approval_change !== undefined && isSame ? 'The change of the limit is withdrawn' : null;
  },
};

/** All sections, in order. */
export const sections: readonly Section[] = [business, checkout, invoices, approvalLimit];
