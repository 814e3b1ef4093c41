import { html, type TemplateResult } from 'lit';
import type { CreateRecipient, Recipient } from '../../../api/recipient.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';
import { type FormField, formField } from '../../controls/form-field.ts';
import { countries } from '../countries.ts';
import { recipientTypes } from './recipient-words.ts';

const fields = (): readonly FormField[] => [
  { label: 'Name', name: 'name', required: true, maxLength: 140 },
  { label: 'Type', name: 'type', options: recipientTypes },
  { label: 'E-mail', name: 'email', type: 'email', maxLength: 254 },
  { label: 'Country', name: 'country', options: [['', 'Not known'], ...countries()] },
  {
    label: 'Reference',
    name: 'reference',
    maxLength: 100,
    hint: 'Your own id of the recipient, for example a staff number.',
  },
];

/** The names of the fields that `detailFields` shows. */
export const detailNames = ['name', 'type', 'email', 'country', 'reference'] as const;

/** The fields of a recipient, except its destinations. */
export const detailFields = (
  texts: FormTexts,
  errors: FormTexts,
  type: (name: string, text: string) => void,
): TemplateResult =>
  html`${fields().map(field =>
    formField({
      ...field,
      value: texts[field.name] ?? '',
      error: errors[field.name],
      onInput: value => type(field.name, value),
    }),
  )}`;

/** The form's texts for an existing recipient. */
export const detailTexts = ({ name, type, email, country, reference }: Recipient): FormTexts => ({
  name,
  type,
  email: email ?? '',
  country: country ?? '',
  reference: reference ?? '',
});

/** The typed values. Null for an empty field, except for the name, which stays an empty text. */
export function typedDetails(texts: FormTexts) {
  const textOf = (name: string) => texts[name]?.trim() || null;
  return {
    name: textOf('name') ?? '',
    email: textOf('email'),
    country: textOf('country'),
    reference: textOf('reference'),
    type: typeOf(texts),
  };
}

const typeOf = (texts: FormTexts): CreateRecipient['type'] =>
  texts['type'] === 'business' ? 'business' : 'individual';
