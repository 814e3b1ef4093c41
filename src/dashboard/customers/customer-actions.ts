import { html, nothing, type TemplateResult } from 'lit';
import type { PayClient } from '../../api/client.ts';
import type { Customer } from '../../api/dashboard/customer.ts';
import { addressFields, addressText, typedAddress } from '../app/typed-address.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';

type Type = (name: string, text: string) => void;

const fields = [
  { label: 'Name', name: 'name', maxLength: 250 },
  { label: 'Phone', name: 'phone', maxLength: 40 },
  { label: 'Tax id', name: 'tax_id', maxLength: 40 },
  ...addressFields,
  { label: 'Note', name: 'description', maxLength: 500 },
] as const;

/** The fields that share a line with the next field. */
const pairs: ReadonlySet<string> = new Set(['phone', 'address.line1', 'address.postal_code']);

function detailFields(texts: FormTexts, errors: FormTexts, type: Type): TemplateResult {
  const field = (at: number) => {
    const given = fields[at];
    if (given === undefined) return nothing;
    const { name } = given;
    const onInput = (value: string) => type(name, value);
    return formField({ ...given, value: texts[name] ?? '', error: errors[name], onInput });
  };
  return html`${fields.map(({ name }, at) => {
    if (at > 0 && pairs.has(fields[at - 1]?.name ?? '')) return nothing;
    return pairs.has(name) ? html`<div class="pair">${field(at)} ${field(at + 1)}</div>` : field(at);
  })}`;
}

const textOf = (texts: FormTexts, name: string): string | null => texts[name]?.trim() || null;

/** The details in the API's form. Null: the field is empty. */
const typedDetails = (texts: FormTexts) => ({
  name: textOf(texts, 'name'),
  phone: textOf(texts, 'phone'),
  tax_id: textOf(texts, 'tax_id'),
  description: textOf(texts, 'description'),
  address: typedAddress(texts),
});

/** Creates a customer. The e-mail address identifies the customer. */
export function createCustomerAction(client: PayClient, done: (customer: Customer) => void): Action {
  return {
    heading: 'New customer',
    fields: (texts, errors, type) => html`
      ${formField({
        label: 'E-mail',
        name: 'email',
        type: 'email',
        required: true,
        maxLength: 254,
        value: texts['email'] ?? '',
        error: errors['email'],
        onInput: value => type('email', value),
      })}
      ${detailFields(texts, errors, type)}`,
    effects: () => [{ what: 'Later payments and invoices', result: 'of this address belong to the customer' }],
    button: texts => (textOf(texts, 'email') === null ? null : 'Create customer'),
    run: async (texts, idempotencyKey) => {
      const given = Object.entries(typedDetails(texts)).filter(([, value]) => value !== null);
      const body = { email: textOf(texts, 'email') ?? '', ...Object.fromEntries(given) };
      done(await client.customers.create(body, { idempotencyKey }));
    },
  };
}

/** Changes a customer's details. Sent invoices keep the old details. */
export function editCustomerAction(client: PayClient, customer: Customer, done: (customer: Customer) => void): Action {
  const { address } = customer;
  return {
    heading: 'Edit customer',
    start: {
      name: customer.name ?? '',
      phone: customer.phone ?? '',
      tax_id: customer.tax_id ?? '',
      description: customer.description ?? '',
      ...Object.fromEntries(addressFields.map(({ name }) => [name, addressText(address, name)])),
    },
    fields: detailFields,
    effects: () => [{ what: 'Invoices already sent', result: 'keep the old details' }],
    button: () => 'Save',
    run: async texts => {
      done(await client.customers.update(customer.id, typedDetails(texts)));
    },
  };
}
