import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type FormField, formField } from '../../controls/form-field.ts';
import { icon } from '../../controls/icons.ts';
import { detailGroups } from './detail-groups.ts';
import { type Editing, valueField } from './editing.ts';
import { newPart, type PartTexts } from './invoice-texts.ts';

const dues = [
  ['days', 'Some days after sending'],
  ['date', 'On a day'],
  ['parts', 'In instalments'],
] as const;

/** The due date, the note and the groups of details. A recurring invoice is always due some days after sending. */
export function termsCard(editing: Editing, { isRepeated = false } = {}): TemplateResult {
  const { values } = editing.texts;
  return html`<section class="card" aria-labelledby="terms">
    <h2 id="terms">Terms</h2>
    <div class="fields two">
      ${isRepeated ? nothing : valueField(editing, { label: 'Due', name: 'due', options: dues })}
      ${values['due'] === 'days' ? valueField(editing, { label: isRepeated ? 'Due, days after sending' : 'Days', name: 'days_until_due', inputMode: 'numeric' }) : nothing}
      ${values['due'] === 'date' ? valueField(editing, { label: 'Day', name: 'due_date', type: 'date' }) : nothing}
    </div>
    ${values['due'] === 'parts' ? partFields(editing) : nothing}
    ${valueField(editing, { label: 'Note', name: 'memo', rows: 2, maxLength: 2000 })}
    ${detailGroups(editing, isRepeated)}
  </section>`;
}

function partFields({ texts, errorAt, change, focus }: Editing): TemplateResult {
  const put = (part: PartTexts, texts_: Partial<PartTexts>) =>
    change({ parts: texts.parts.map(each => (each === part ? { ...each, ...texts_ } : each)) });
  const field = (part: PartTexts, index: number, name: 'due_date' | 'share', more: Partial<FormField>) =>
    formField({
      label: '',
      name: `installments[${index}].${name}`,
      value: part[name],
      ...more,
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
