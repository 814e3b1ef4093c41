import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Customer } from '../../api/dashboard/customer.ts';
import type { InvoicePreview } from '../../api/invoice/invoice-view.ts';
import { addressFields } from '../app/typed-address.ts';
import { checkField, type FormField, formField } from '../controls/form-field.ts';
import { icon } from '../controls/icons.ts';
import { moneyOf, moneyWords } from '../controls/values.ts';
import { type InvoiceTexts, type LineTexts, newLine, newPart, type PartTexts } from './invoice-form.ts';

/** The form in the way its cards use it. */
export interface Editing {
  readonly texts: InvoiceTexts;
  /** The message of a field, by its name in the API. Lines and instalments count by their position in the form. */
  readonly errorAt: (name: string) => string | undefined;
  readonly change: (texts: Partial<InvoiceTexts>) => void;
  /** Moves the focus after the change is rendered. */
  readonly focus: (selector: string) => void;
}

/** A field for one of the form's values. `error`: the name in the API, if it differs from the value's name. */
export function valueField({ texts, errorAt, change }: Editing, field: FormField & { readonly param?: string }) {
  const { param = field.name, ...shown } = field;
  return formField({
    ...{ ...shown, value: texts.values[field.name] ?? '', error: errorAt(param) },
    onInput: text => change({ values: { ...texts.values, [field.name]: text } }),
  });
}

/** The payer: a customer of the list, or typed data. */
export function customerCard(
  editing: Editing,
  customers: readonly Customer[],
  choose: (email: string) => void,
): TemplateResult {
  const { values } = editing.texts;
  const known = customers.some(({ email }) => email === values['customer.email']);
  const hasAddress = addressFields.some(({ name }) => values[name] || editing.errorAt(`customer.${name}`));
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
      ${valueField(editing, { label: 'Tax id', name: 'customer.tax_id', maxLength: 60 })}
    </div>
    <details ?open=${hasAddress}>
      <summary>Address</summary>
      <div class="fields two">
        ${addressFields.map(field => valueField(editing, { ...field, param: `customer.${field.name}` }))}
      </div>
    </details>
  </section>`;
}

/** The billed lines in their order. */
export function linesCard(editing: Editing, preview: InvoicePreview | null): TemplateResult {
  const { texts, change, focus } = editing;
  const add = () => {
    change({ lines: [...texts.lines, newLine(texts.lines.at(-1))] });
    focus(`#field-lines-${texts.lines.length}--description`);
  };
  return html`<section class="card" aria-labelledby="lines">
    <h2 id="lines">Lines</h2>
    <ol class="lines">
      ${repeat(
        texts.lines,
        ({ key }) => key,
        (line, index) => lineFields(editing, line, index),
      )}
    </ol>
    <div class="actions"><button class="second" type="button" @click=${add}>${icon('add')} Add a line</button></div>
    <div class="fields two">
      ${valueField(editing, { label: 'Discount on everything', name: 'discount', hint: 'For example 5 % or 20.00.' })}
      ${valueField(editing, { label: 'Currency', name: 'currency', maxLength: 3, required: true })}
    </div>
    ${preview === null ? nothing : totals(preview)}
  </section>`;
}

function lineFields(editing: Editing, line: LineTexts, index: number): TemplateResult {
  const { texts, errorAt, change } = editing;
  const at = `lines[${index}]`;
  const put = (texts_: Partial<LineTexts>) =>
    change({ lines: texts.lines.map(each => (each === line ? { ...each, ...texts_ } : each)) });
  const field = (label: string, name: keyof LineTexts, param: string, more: Partial<FormField> = {}) =>
    formField({
      ...{ label, name: `${at}.${name}`, value: String(line[name] ?? ''), error: errorAt(`${at}.${param}`), ...more },
      onInput: text => put({ [name]: text }),
    });
  return html`<li aria-label=${`Line ${index + 1}`} @keydown=${(event: KeyboardEvent) => moveByKey(editing, index, event)}>
    <div class="wide">${field('Description', 'description', 'description', { rows: 1, maxLength: 2000, required: true })}</div>
    ${field('Quantity', 'quantity', 'quantity', { inputMode: 'decimal' })}
    ${field('Unit', 'unit', 'unit', { maxLength: 20, placeholder: 'h, kg …' })}
    ${field('Price of one', 'price', 'unit_amount', { inputMode: 'decimal', required: true })}
    ${field('Discount', 'discount', 'discount', { placeholder: '5 % or 2.00' })}
    ${
      line.kept === null
        ? html`${field('Tax %', 'rate', 'tax.percent', { inputMode: 'decimal', placeholder: 'none' })}
          ${field('Tax name', 'tax', 'tax.name', { maxLength: 60 })}
          ${checkField('The price contains the tax', `${at}.inclusive`, line.inclusive, inclusive => put({ inclusive }))}`
        : html`<p class="hint wide">Taxes: ${line.kept?.map(({ name, percent }) => `${name} ${percent} %`).join(', ')}</p>`
    }
    ${lineButtons(editing, index)}
  </li>`;
}

function lineButtons(editing: Editing, index: number): TemplateResult {
  const { texts, change, focus } = editing;
  const remove = () => {
    const lines = texts.lines.filter((_, at) => at !== index);
    change({ lines: lines.length === 0 ? [newLine()] : lines });
    focus(`#field-lines-${Math.max(0, index - 1)}--description`);
  };
  const button = (label: string, name: 'up' | 'down' | 'trash', isOff: boolean, press: () => void) =>
    html`<button class="icon-button ${name}" type="button" aria-label=${`${label} line ${index + 1}`} ?disabled=${isOff}
      @click=${press}>${icon(name === 'trash' ? 'trash' : 'down')}</button>`;
  return html`<div class="line-buttons">
    ${button('Move up', 'up', index === 0, () => moveLine(editing, index, -1))}
    ${button('Move down', 'down', index === texts.lines.length - 1, () => moveLine(editing, index, 1))}
    ${button('Remove', 'trash', false, remove)}
  </div>`;
}

/** Moves a line, and the focus with it: to the field with this id, else to a button of the line. */
function moveLine({ texts, change, focus }: Editing, index: number, by: -1 | 1, fieldId = ''): void {
  const lines = [...texts.lines];
  const [line] = lines.splice(index, 1);
  const to = index + by;
  if (line === undefined || to < 0 || to >= texts.lines.length) return;
  lines.splice(to, 0, line);
  change({ lines });
  if (fieldId !== '') {
    focus(`#${fieldId.replace(`lines-${index}-`, `lines-${to}-`)}`);
    return;
  }
  // At the end of the list, the pressed button is disabled and would lose the focus.
  const way = to === 0 || (by > 0 && to < lines.length - 1) ? 'down' : 'up';
  focus(`.lines > li:nth-child(${to + 1}) .${way}`);
}

/** Alt and an arrow key move the edited line. */
function moveByKey(editing: Editing, index: number, event: KeyboardEvent): void {
  if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  moveLine(editing, index, event.key === 'ArrowUp' ? -1 : 1, (event.target as HTMLElement).id);
}

/** The sums that the service has computed. */
function totals(invoice: InvoicePreview): TemplateResult {
  const { currency, subtotal, discount_total: discount, taxes, total } = invoice;
  const row = (label: string | TemplateResult, amount: number) =>
    html`<tr><th scope="row">${label}</th><td class="end">${moneyOf(amount, currency)}</td></tr>`;
  return html`<table class="rows"><caption class="quiet">Totals</caption><tbody>
    ${row('Subtotal', subtotal)} ${discount === 0 ? nothing : row('Discount', -discount)}
    ${taxes.map(({ name, percent, inclusive, amount }) => row(`${inclusive ? 'Includes ' : ''}${name} ${percent} %`, amount))}
    ${row(html`<strong>Total</strong>`, total)}
  </tbody></table>
  <p class="quiet" role="status">Total ${moneyWords(total, currency)}</p>`;
}

const dues = [
  ['days', 'Some days after sending'],
  ['date', 'On a day'],
  ['parts', 'In instalments'],
] as const;

const languages = [
  ['', 'As in the settings'],
  ['en', 'English'],
  ['ar', 'العربية'],
  ['ja', '日本語'],
] as const;

/** The due date and other terms. A recurring invoice is always due a number of days after sending. */
export function termsCard(editing: Editing, { isRepeated = false } = {}): TemplateResult {
  const { values } = editing.texts;
  const locale = values['locale'] ?? '';
  const others = languages.some(([tag]) => tag === locale) ? [] : [[locale, locale] as const];
  return html`<section class="card" aria-labelledby="terms">
    <h2 id="terms">Terms</h2>
    <div class="fields two">
      ${isRepeated ? nothing : valueField(editing, { label: 'Due', name: 'due', options: dues })}
      ${values['due'] === 'days' ? valueField(editing, { label: isRepeated ? 'Due, days after sending' : 'Days', name: 'days_until_due', inputMode: 'numeric' }) : nothing}
      ${values['due'] === 'date' ? valueField(editing, { label: 'Day', name: 'due_date', type: 'date' }) : nothing}
    </div>
    ${values['due'] === 'parts' ? partFields(editing) : nothing}
    <div class="fields two">
      ${valueField(editing, { label: 'Reference', name: 'reference', maxLength: 200, hint: 'An order number, yours or the buyer’s.' })}
      ${valueField(editing, { label: 'Language', name: 'locale', options: [...languages, ...others] })}
    </div>
    ${valueField(editing, { label: 'Note', name: 'memo', rows: 2, maxLength: 2000 })}
    ${valueField(editing, { label: 'Foot of the page', name: 'footer', rows: 2, maxLength: 2000 })}
  </section>`;
}

function partFields({ texts, errorAt, change, focus }: Editing): TemplateResult {
  const put = (part: PartTexts, texts_: Partial<PartTexts>) =>
    change({ parts: texts.parts.map(each => (each === part ? { ...each, ...texts_ } : each)) });
  const field = (part: PartTexts, index: number, name: 'due_date' | 'share', more: Partial<FormField>) =>
    formField({
      ...{ label: '', name: `installments[${index}].${name}`, value: part[name], ...more },
      error: errorAt(`installments[${index}]${name === 'share' ? '' : '.due_date'}`),
      onInput: text => put(part, { [name]: text }),
    });
  const add = () => {
    change({ parts: [...texts.parts, newPart()] });
    focus(`#field-installments-${texts.parts.length}--due_date`);
  };
  return html`<ol class="lines parts">
      ${repeat(
        texts.parts,
        ({ key }) => key,
        (part, index) => html`<li aria-label=${`Instalment ${index + 1}`}>
          ${field(part, index, 'due_date', { label: 'Day', type: 'date' })}
          ${field(part, index, 'share', { label: 'Amount or %', placeholder: '50 %' })}
          <div class="line-buttons"><button class="icon-button" type="button" aria-label=${`Remove instalment ${index + 1}`}
            @click=${() => change({ parts: texts.parts.filter(each => each !== part) })}>${icon('trash')}</button></div>
        </li>`,
      )}
    </ol>
    <div class="actions"><button class="second" type="button" @click=${add}>${icon('add')} Add an instalment</button></div>`;
}
