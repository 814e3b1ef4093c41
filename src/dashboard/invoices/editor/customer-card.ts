import { html, nothing, type TemplateResult } from 'lit';
import type { Customer } from '../../../api/dashboard/customer.ts';
import { addressFields } from '../../app/typed-address.ts';
import { formField } from '../../controls/form-field.ts';
import { disclosure } from './disclosure.ts';
import { type Editing, valueField } from './editing.ts';

/** The payer: a customer of the list, or typed data. */
export function customerCard(
  editing: Editing,
  customers: readonly Customer[],
  choose: (email: string) => void,
): TemplateResult {
  const { values } = editing.texts;
  const known = customers.some(({ email }) => email === values['customer.email']);
  const places = [...addressFields, { label: 'Tax id', name: 'customer.tax_id', maxLength: 60 }].map(field => ({
    ...{ ...field, param: field.name.startsWith('customer.') ? field.name : `customer.${field.name}` },
  }));
  const isNeeded = places.some(({ name, param }) => values[name] || editing.errorAt(param));
  return html`<section class="card" aria-labelledby="customer">
    <h2 id="customer">Customer</h2>
    <div class="fields two">
      ${
        customers.length === 0
          ? nothing
          : formField({
              ...{ label: 'Take a customer', name: 'known', value: known ? (values['customer.email'] ?? '') : '' },
              options: [['', 'Type one below'], ...customers.map(({ email, name }) => [email, name ?? email] as const)],
              onInput: choose,
            })
      }
      ${valueField(editing, { label: 'E-mail', name: 'customer.email', type: 'email', hint: 'Without one, share the link yourself.' })}
      ${valueField(editing, { label: 'Name', name: 'customer.name', maxLength: 250 })}
    </div>
    ${disclosure(
      { label: 'Address and tax id', isNeeded },
      html`<div class="fields two">${places.map(field => valueField(editing, field))}</div>`,
    )}
  </section>`;
}
