import { html, nothing, type TemplateResult } from 'lit';
import { copyButton } from './copy-button.ts';

/** One row. `copy`: the text that an added button copies. `name`: the copied text in words, by default the label. */
export interface KeyValue {
  readonly label: string;
  readonly value: TemplateResult | string | number | null | undefined;
  readonly copy?: string;
  readonly name?: string;
}

/** A list of labels and values. Omits rows without a value. */
export function keyValues(rows: readonly (KeyValue | false | null | undefined)[]): TemplateResult {
  const shown = rows.filter((row): row is KeyValue => Boolean(row) && isThere((row as KeyValue).value));
  return html`<dl class="pairs">
    ${shown.map(
      ({ label, value, copy, name = label }) => html`<div>
        <dt>${label}</dt>
        <dd>${value}${copy === undefined ? nothing : html` ${copyButton(copy, name)}`}</dd>
      </div>`,
    )}
  </dl>`;
}

const isThere = (value: KeyValue['value']) => value !== null && value !== undefined && value !== '';
