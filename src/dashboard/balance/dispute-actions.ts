import { html } from 'lit';
import type { Dispute, PayClient, SubmitEvidence } from '../../api/client.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';
import { moneyWords } from '../controls/values.ts';
import { reasonWords } from './dispute-words.ts';

type Done = (dispute: Dispute) => void;

const fields = [
  {
    label: 'Why the payment is right',
    name: 'explanation',
    rows: 6,
    maxLength: 5_000,
    required: true,
    hint: 'What was ordered, when and how it was delivered, what was agreed.',
  },
  { label: 'Tracking number', name: 'tracking_number', maxLength: 100 },
  { label: 'What the customer wrote', name: 'customer_message', rows: 3, maxLength: 5_000 },
  {
    label: 'Names of files',
    name: 'file_names',
    rows: 2,
    hint: 'One on each line. You give the files themselves to your acquirer.',
  },
] as const;

/** The evidence from the form's texts. Omits empty fields. */
export function evidenceOf(texts: FormTexts): SubmitEvidence {
  const text = (name: string) => texts[name]?.trim() || undefined;
  const [tracking, message] = [text('tracking_number'), text('customer_message')];
  const files = (text('file_names') ?? '').split('\n').flatMap(line => line.trim() || []);
  return {
    explanation: text('explanation') ?? '',
    ...(tracking !== undefined && { tracking_number: tracking }),
    ...(message !== undefined && { customer_message: message }),
    ...(files.length > 0 && { file_names: files }),
  };
}

/** Answers the dispute. This is possible once. */
export function evidenceAction(client: PayClient, dispute: Dispute, done: Done): Action {
  return {
    heading: 'Send evidence',
    fields: (texts, errors, type) =>
      html`${fields.map(field =>
        formField({
          ...field,
          value: texts[field.name] ?? '',
          error: errors[field.name],
          onInput: value => type(field.name, value),
        }),
      )}`,
    effects: () => [
      { what: 'Disputed', result: moneyWords(dispute.amount, dispute.currency) },
      { what: 'Reason', result: reasonWords(dispute) },
      { what: 'The bank', result: 'Reads your evidence once, and decides' },
      { what: 'If you win', result: 'The amount comes back to you' },
    ],
    note: 'You cannot add to it later.',
    button: texts => (texts['explanation']?.trim() ? 'Send evidence' : null),
    run: async (texts, idempotencyKey) =>
      done(await client.disputes.submitEvidence(dispute.id, evidenceOf(texts), { idempotencyKey })),
  };
}

/** Accepts the loss of the disputed amount. */
export function acceptAction(client: PayClient, dispute: Dispute, done: Done): Action {
  const amount = moneyWords(dispute.amount, dispute.currency);
  return {
    heading: 'Accept the dispute',
    isDangerous: true,
    effects: () => [
      { what: 'Stays with the cardholder', result: amount },
      { what: 'Your balance', result: 'Does not change: the bank has taken the amount already' },
      { what: 'Evidence', result: 'Is no longer possible' },
    ],
    button: () => `Give up ${amount}`,
    run: async (_, idempotencyKey) => done(await client.disputes.accept(dispute.id, { idempotencyKey })),
  };
}
