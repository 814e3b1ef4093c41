import { html, nothing, type TemplateResult } from 'lit';
import type { Metadata } from '../../api/schema.ts';
import type { Action, ActionPage, FormTexts } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';
import { keyValues } from '../controls/key-values.ts';

/** Maximum number of entries that the service stores. */
const most = 50;

/** An object with the merchant's own data. */
interface Described {
  readonly metadata: Metadata;
  /** Stores the new entries in place of all old ones. */
  readonly save: (metadata: Metadata) => Promise<unknown>;
}

/** The merchant's own data of an object. `change`: what the button starts. Null: the person may only read the data. */
export function metadataCard(metadata: Metadata, change: (() => void) | null): TemplateResult | typeof nothing {
  const entries = Object.entries(metadata);
  if (entries.length === 0 && change === null) return nothing;
  return html`<section class="card" aria-labelledby="metadata">
    <div class="card-head">
      <h2 id="metadata">Metadata</h2>
      ${change === null ? nothing : html`<button class="plain" type="button" aria-label="Edit metadata" @click=${change}>Edit</button>`}
    </div>
    ${
      entries.length === 0
        ? html`<p class="hint">Your own notes, for example a number of your system. Payers do not see them.</p>`
        : keyValues(entries.map(([label, value]) => ({ label, value: String(value) })))
    }
  </section>`;
}

/** Starts the change of the metadata in the page's dialog. */
export function changeMetadata(page: ActionPage, described: Described): void {
  page.ask(metadataAction(described));
}

function metadataAction({ metadata, save }: Described): Action {
  const entries = Object.entries(metadata);
  return {
    heading: 'Edit metadata',
    start: Object.fromEntries(
      entries.flatMap(([name, value], at) => [
        [nameField(at), name],
        [valueField(at), String(value)],
      ]),
    ),
    fields: (texts, _, type) => html`<p class="hint">Clear both fields of an entry to remove it.</p>
      ${Array.from({ length: Math.min(rowsIn(texts) + 1, most) }, (_, at) => entryFields(texts, at, type))}`,
    effects: texts => {
      const kept = typedMetadata(texts, metadata);
      return entries.filter(([name]) => !(name in kept)).map(([name]) => ({ what: name, result: 'Removed' }));
    },
    button: texts => (rowNumbers(texts).some(at => faultOf(texts, at) !== undefined) ? null : 'Save'),
    run: async texts => await save(typedMetadata(texts, metadata)),
  };
}

const nameField = (at: number) => `name_${at}`;
const valueField = (at: number) => `value_${at}`;
const nameIn = (texts: FormTexts, at: number) => texts[nameField(at)]?.trim() ?? '';

/** The number of rows up to the last one with a text. */
function rowsIn(texts: FormTexts): number {
  const used = Object.entries(texts).flatMap(([field, text]) => (text === '' ? [] : [Number(field.split('_')[1])]));
  return Math.max(-1, ...used) + 1;
}

const rowNumbers = (texts: FormTexts): number[] => Array.from({ length: rowsIn(texts) }, (_, at) => at);

function entryFields(texts: FormTexts, at: number, type: (name: string, text: string) => void): TemplateResult {
  const field = (label: string, name: string, maxLength: number, error?: string) =>
    formField({
      label: `${label} ${at + 1}`,
      name,
      value: texts[name] ?? '',
      maxLength,
      error,
      onInput: text => type(name, text),
    });
  return html`<div class="pair">
    ${field('Name', nameField(at), 40, faultOf(texts, at))} ${field('Value', valueField(at), 500)}
  </div>`;
}

/** The error of an entry's name: it is missing, or an earlier entry has it. */
function faultOf(texts: FormTexts, at: number): string | undefined {
  const name = nameIn(texts, at);
  if (name === '') return texts[valueField(at)] ? 'Name this value.' : undefined;
  return rowNumbers(texts).some(other => other < at && nameIn(texts, other) === name)
    ? 'This name is used above.'
    : undefined;
}

/** The typed entries. An unchanged number or truth value keeps its type. Each other value is a text. */
function typedMetadata(texts: FormTexts, before: Metadata): Metadata {
  const named = rowNumbers(texts).filter(at => nameIn(texts, at) !== '');
  return Object.fromEntries(
    named.map(at => {
      const [name, text] = [nameIn(texts, at), texts[valueField(at)] ?? ''];
      const old = before[name];
      return [name, old !== undefined && String(old) === text ? old : text];
    }),
  );
}
