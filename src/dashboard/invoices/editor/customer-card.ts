import { html, type TemplateResult } from 'lit';
import { addressFields } from '../../app/typed-address.ts';
import type { Pick } from '../../controls/picker/picker.ts';
import type { CustomerChoice } from './customer-choice.ts';
import { disclosure } from './disclosure.ts';
import { type Editing, valueField } from './editing.ts';
import '../../controls/picker/picker.ts';

/** The payer: a known customer, or typed data. */
export function customerCard(editing: Editing, customers: CustomerChoice): TemplateResult {
  const { values } = editing.texts;
  const places = [...addressFields, { label: 'Tax id', name: 'customer.tax_id', maxLength: 60 }].map(field => ({
    ...field,
    param: field.name.startsWith('customer.') ? field.name : `customer.${field.name}`,
  }));
  const isNeeded = places.some(({ name, param }) => values[name] || editing.errorAt(param));
  return html`<section class="card" aria-labelledby="customer">
    <h2 id="customer">Customer</h2>
    <div class="fields two">
      <pay-picker class="wide" .label=${'Take a customer'} .name=${'known'} .none=${'Type one below'} .chosen=${customers.chosenFor(values['customer.email'])}
        .find=${customers.find} @pick=${(event: CustomEvent<Pick | null>) => void customers.take(event.detail)}></pay-picker>
      ${valueField(editing, { label: 'E-mail', name: 'customer.email', type: 'email', hint: 'Without one, share the link yourself.' })}
      ${valueField(editing, { label: 'Name', name: 'customer.name', maxLength: 250 })}
    </div>
    ${disclosure(
      { label: 'Address and tax id', isNeeded },
      html`<div class="fields two">${places.map(field => valueField(editing, field))}</div>`,
    )}
  </section>`;
}
