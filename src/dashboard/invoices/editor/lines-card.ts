import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { InvoicePreview } from '../../../api/invoice/invoice-view.ts';
import { checkField, type FormField, formField } from '../../controls/form-field.ts';
import { icon } from '../../controls/icons.ts';
import { moneyOf, moneyWords, percentWords } from '../../controls/values.ts';
import { isUntaxed, vatOptions, vatWords } from '../invoice-words.ts';
import { disclosure } from './disclosure.ts';
import { type Editing, hintWith, valueField } from './editing.ts';
import { type LineTexts, newLine } from './invoice-texts.ts';

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
  const field: LineField = (label, name, param, more = {}) =>
    formField({
      label,
      name: `${at}.${name}`,
      value: String(line[name] ?? ''),
      error: errorAt(`${at}.${param}`),
      onInput: text => put({ [name]: text }),
      ...more,
    });
  return html`<li aria-label=${`Line ${index + 1}`} @keydown=${(event: KeyboardEvent) => moveByKey(editing, index, event)}>
    <div class="wide">${field('Description', 'description', 'description', { rows: 1, maxLength: 2000, required: true })}</div>
    ${field('Quantity', 'quantity', 'quantity', { inputMode: 'decimal' })}
    ${field('Unit', 'unit', 'unit', { maxLength: 20, placeholder: 'h, kg …' })}
    ${field('Price of one', 'price', 'unit_amount', { inputMode: 'decimal', required: true })}
    ${
      line.kept !== null || isUntaxed(line.category)
        ? nothing
        : field('Tax %', 'rate', 'tax.percent', { inputMode: 'decimal', placeholder: 'none' })
    }
    <div class="wide">${lineDetails({ editing, line, index, field, put })}</div>
    ${lineButtons(editing, index)}
  </li>`;
}

/** A field of a line. `param`: its name in the API. */
type LineField = (label: string, name: keyof LineTexts, param: string, more?: Partial<FormField>) => TemplateResult;

/** A line, and the functions that show and change its fields. */
interface LineForm {
  readonly editing: Editing;
  readonly line: LineTexts;
  readonly index: number;
  readonly field: LineField;
  readonly put: (texts: Partial<LineTexts>) => void;
}

const lineDetailParams = ['discount', 'vat.category', 'vat.exemption_reason', 'tax.name'];

/** Discount and VAT of a line. */
function lineDetails({ editing, line, index, field, put }: LineForm): TemplateResult {
  const { category, kept, discount } = line;
  const at = `lines[${index}]`;
  const [label, reason] = vatWords(category);
  const hasError = lineDetailParams.map(param => editing.errorAt(`${at}.${param}`)).some(Boolean);
  const hasTexts = discount !== '' || category !== '' || line.inclusive || line.tax !== 'VAT';
  const warning = editing.warningAt(category === 'outside_scope' ? 'lines.vat.category' : 'lines');
  const taxes = kept?.map(({ name, percent }) => `${name} ${percent} %`).join(', ');
  return disclosure(
    { label: 'Discount and VAT', about: `line ${index + 1}`, state: label, isNeeded: hasTexts || hasError },
    html`<div class="fields two">
        ${field('Discount', 'discount', 'discount', { placeholder: '5 % or 2.00' })}
        ${field('VAT category', 'category', 'vat.category', {
          options: vatOptions,
          ...hintWith(warning),
          onInput: chosen => put({ category: chosen, reason: '' }),
        })}
        ${reason !== '' ? field('Why there is no tax', 'reason', 'vat.exemption_reason', { maxLength: 200, placeholder: reason }) : nothing}
        ${kept === null && !isUntaxed(category) ? field('Tax name', 'tax', 'tax.name', { maxLength: 60 }) : nothing}
      </div>
      ${kept === null && !isUntaxed(category) ? checkField('The price contains the tax', `${at}.inclusive`, line.inclusive, inclusive => put({ inclusive })) : nothing}
      ${kept === null ? nothing : html`<p class="hint">Taxes: ${taxes}</p>`}`,
  );
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

/** Moves a line and the focus: to the field `fieldId` at its new position, or without an id to a button of the line. */
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
  // At the first and last position, the pressed button is disabled and would lose the focus.
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
    ${taxes.map(({ name, percent, inclusive, amount }) => row(`${inclusive ? 'Includes ' : ''}${name} ${percentWords(percent)}`, amount))}
    ${row(html`<strong>Total</strong>`, total)}
  </tbody></table>
  <p class="quiet" role="status">Total ${moneyWords(total, currency)}</p>`;
}
