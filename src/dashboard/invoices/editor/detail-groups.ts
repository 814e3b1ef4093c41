import { html, nothing, type TemplateResult } from 'lit';
import { checkField, type FormField } from '../../controls/form-field.ts';
import { methods } from '../../payments/payment-states.ts';
import { disclosure } from './disclosure.ts';
import { type Editing, valueField } from './editing.ts';
import { emptyTexts } from './invoice-texts.ts';

/** The details that most invoices leave at their defaults. A recurring invoice (`isRepeated`) has no service dates. */
export function detailGroups(editing: Editing, isRepeated: boolean): TemplateResult {
  return html`${eInvoiceGroup(editing, isRepeated)} ${paymentGroup(editing)} ${documentGroup(editing)}`;
}

const defaults = emptyTexts().values;

/** Whether one of the values is not the default, or has an error. */
function isNeeded({ texts: { values }, errorAt }: Editing, names: readonly string[]): boolean {
  return (
    names.filter(name => errorAt(name) !== undefined || (values[name] ?? '') !== (defaults[name] ?? '')).length > 0
  );
}

const days = ['delivery_date', 'period.starts_on', 'period.ends_on'];

function eInvoiceGroup(editing: Editing, isRepeated: boolean): TemplateResult {
  const names = ['buyer_reference', 'order_number', ...(isRepeated ? [] : days)];
  const dayField = (label: string, name: string) => valueField(editing, { label, name, type: 'date' });
  return disclosure(
    { label: 'E-invoice details', isNeeded: isNeeded(editing, names) },
    html`<div class="fields two">
      ${valueField(editing, {
        label: 'Buyer reference',
        name: 'buyer_reference',
        maxLength: 200,
        hint: 'From the buyer. For German authorities, the Leitweg-ID.',
      })}
      ${valueField(editing, { label: 'Order number', name: 'order_number', maxLength: 200, hint: 'Of the buyer’s order.' })}
      ${
        isRepeated
          ? nothing
          : html`${dayField('Delivered on', 'delivery_date')} ${dayField('Service from', 'period.starts_on')}
            ${dayField('Service until', 'period.ends_on')}`
      }
    </div>`,
  );
}

const paymentNames = ['deposit', 'deposit.due_date', 'allow_partial', 'payment_methods', 'settlement_asset'];
const reminderNames = ['reminders', 'reminders.offsets_days'];

function paymentGroup(editing: Editing): TemplateResult {
  const { texts, change } = editing;
  const { values } = texts;
  const check = (label: string, name: string) =>
    checkField(label, name, values[name] === 'yes', is => change({ values: { ...values, [name]: is ? 'yes' : '' } }));
  // Omits `settlement_asset`: a stored draft always has one, usually the account's own.
  const names = [...paymentNames.slice(0, -1), ...reminderNames];
  return disclosure(
    {
      label: 'Payment and reminders',
      isNeeded: isNeeded(editing, names) || editing.errorAt('settlement_asset') !== undefined,
    },
    html`${methodsField(editing)} ${check('The customer may pay any part', 'allow_partial')}
      <div class="fields two">
        ${valueField(editing, { label: 'Deposit', name: 'deposit', hint: 'For example 30 % or 100.00.' })}
        ${valueField(editing, { label: 'Deposit due', name: 'deposit.due_date', type: 'date', hint: 'Empty: on sending.' })}
        ${valueField(editing, { label: 'Becomes', name: 'settlement_asset', maxLength: 70, hint: 'USDC, EURC … Empty: as in the settings.' })}
      </div>
      ${check('Remind the customer by mail', 'reminders')}
      ${
        values['reminders'] === 'yes'
          ? valueField(editing, {
              label: 'Days of reminders',
              name: 'reminders.offsets_days',
              hint: 'Around the due date; -3 is three days before.',
            })
          : nothing
      }`,
  );
}

function methodsField({ texts: { values }, errorAt, change }: Editing): TemplateResult {
  const chosen = (values['payment_methods'] ?? '').split(' ');
  const error = errorAt('payment_methods');
  const put = (method: string, is: boolean) => {
    const next = Object.keys(methods).filter(each => (each === method ? is : chosen.includes(each)));
    change({ values: { ...values, payment_methods: next.join(' ') } });
  };
  return html`<fieldset class="methods" aria-describedby=${error === undefined ? nothing : 'methods-error'}>
    <legend class="label">The customer pays by</legend>
    ${Object.entries(methods).map(([method, label]) =>
      checkField(
        label,
        `payment_methods.${method}`,
        chosen.includes(method),
        is => put(method, is),
        error !== undefined,
      ),
    )}
    ${error === undefined ? nothing : html`<p class="lack" id="methods-error">${error}</p>`}
  </fieldset>`;
}

const languages: NonNullable<FormField['options']> = [
  ['', 'As in the settings'],
  ['en', 'English'],
  ['en-GB', 'English, British dates'],
  ['ar', 'العربية'],
  ['ja', '日本語'],
];

const documentNames = ['reference', 'exchange.currency', 'exchange.rate', 'footer'];

function documentGroup(editing: Editing): TemplateResult {
  const locale = editing.texts.values['locale'] ?? '';
  const others = languages.some(([tag]) => tag === locale) ? [] : [[locale, locale] as const];
  const hasError = ['locale', 'number_prefix'].some(name => editing.errorAt(name) !== undefined);
  return disclosure(
    { label: 'Document', state: 'Language, reference, number', isNeeded: isNeeded(editing, documentNames) || hasError },
    html`<div class="fields two">
        ${valueField(editing, { label: 'Language', name: 'locale', options: [...languages, ...others] })}
        ${valueField(editing, { label: 'Reference', name: 'reference', maxLength: 200, hint: 'Your own, printed on the invoice.' })}
        ${valueField(editing, { label: 'Prefix of the number', name: 'number_prefix', maxLength: 20, hint: 'Empty: as in the settings.' })}
        ${valueField(editing, { label: 'Second currency', name: 'exchange.currency', maxLength: 3, hint: 'Also shows the total in it.' })}
        ${valueField(editing, { label: 'Its rate', name: 'exchange.rate', inputMode: 'decimal', hint: 'Empty: the market’s on sending.' })}
      </div>
      ${valueField(editing, { label: 'Foot of the page', name: 'footer', rows: 2, maxLength: 2000 })}`,
  );
}
