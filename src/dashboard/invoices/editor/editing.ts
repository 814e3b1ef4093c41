import { html, type TemplateResult } from 'lit';
import type { InvoiceWarning } from '../../../api/invoice/invoice-view.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';
import { type FormField, formField } from '../../controls/form-field.ts';
import type { FieldPlace } from '../e-invoice-note.ts';
import type { InvoiceTexts } from './invoice-texts.ts';
import type { TypedInvoice } from './typed-invoice.ts';

/** The texts and messages of the form, and the functions that its cards call. */
export interface Editing {
  readonly texts: InvoiceTexts;
  /** The message of a field, by its name in the API. Lines and instalments count by their position in the form. */
  readonly errorAt: (name: string) => string | undefined;
  /** The reason why the field's content prevents an e-invoice. */
  readonly warningAt: (name: string) => string | undefined;
  readonly change: (texts: Partial<InvoiceTexts>) => void;
  /** Moves the focus to the element of the selector after the change is rendered. */
  readonly focus: (selector: string) => void;
}

/** A hint, and after it the warning of the field. Screen readers read both with the input. */
export function hintWith(warning: string | undefined, hint?: FormField['hint']): Pick<FormField, 'hint'> {
  if (warning === undefined) return hint === undefined ? {} : { hint };
  return { hint: html`${hint} <span class="lack">${warning}</span>` };
}

/** A field for one of the form's values. `param`: the name in the API, if it differs from the value's name. */
export function valueField(editing: Editing, field: FormField & { readonly param?: string }): TemplateResult {
  const { texts, errorAt, warningAt, change } = editing;
  const { param = field.name, hint, ...shown } = field;
  return formField({
    ...shown,
    ...hintWith(warningAt(param), hint),
    value: texts.values[field.name] ?? '',
    error: errorAt(param),
    onInput: text => change({ values: { ...texts.values, [field.name]: text } }),
  });
}

/** The messages of a form by field, and whether a refusal has messages that no field has shown. */
export interface Messages {
  readonly errorAt: (name: string) => string | undefined;
  /** Call this after `errorAt` was called for all fields. */
  readonly hasOthers: () => boolean;
}

/** The messages of each field. `refused`: the service's messages. `isTried`: whether to show those of empty fields. */
export function messagesOf({ wrong, missing, lineAt }: TypedInvoice, refused: FormTexts, isTried: boolean): Messages {
  const placed = Object.entries(refused).map(([param, message]) => {
    // The request omits lines without texts, so line numbers in the request differ from those in the form.
    const place = param.replace(/^lines\[(\d+)\]/, (_, at) => `lines[${lineAt[Number(at)] ?? 0}]`);
    return [place, message] as const;
  });
  const own = { ...wrong, ...(isTried ? missing : {}) };
  const shown = new Set<string>();
  const errorAt = (name: string) => {
    const [param, message] =
      placed.find(([each]) => each === name || each.startsWith(`${name}.`) || each.startsWith(`${name}[`)) ?? [];
    if (param !== undefined) shown.add(param);
    return own[name] ?? message;
  };
  return { errorAt, hasOthers: () => placed.some(([param]) => !shown.has(param)) };
}

/** Finds the warning of a field by its name in the API. */
export function warningsOf(warnings: readonly InvoiceWarning[]): Editing['warningAt'] {
  return name => warnings.find(({ param }) => param === name)?.message;
}

/** The id of the input for a field of the API. */
function inputIdOf(param: string, { lines }: InvoiceTexts): string {
  const outside = lines.findIndex(({ category }) => category === 'outside_scope');
  const names: FormTexts = {
    [param]: param.replace(/^customer\.(?=address\.)/, ''),
    lines: 'lines[0].price',
    'lines.vat.category': `lines[${Math.max(0, outside)}].category`,
  };
  return `field-${(names[param] ?? '').replace(/[^\w-]/g, '-')}`;
}

/** Finds the link to a field of the form below `root`. */
export const placeIn =
  (root: ParentNode, texts: InvoiceTexts) =>
  (param: string): FieldPlace => ({
    href: `#${inputIdOf(param, texts)}`,
    press: event => {
      event.preventDefault();
      revealField(root, param, texts);
    },
  });

/** Moves the focus to the input for a field of the API. */
export const revealField = (root: ParentNode, param: string, texts: InvoiceTexts): void =>
  reveal(root.querySelector(`#${inputIdOf(param, texts)}`));

/** Moves the focus to the first wrong input, or shows the error note if no input is wrong. Waits for the rendering. */
export async function revealError(root: ParentNode): Promise<void> {
  // A dialog that closes in this task first returns the focus to the button that opened it.
  await new Promise(resolve => setTimeout(resolve));
  reveal(root.querySelector('[aria-invalid=true]') ?? root.querySelector('.note.bad'));
}

function reveal(element: HTMLElement | null): void {
  for (let group = element?.closest('details'); group; group = group.parentElement?.closest('details'))
    group.open = true;
  element?.focus();
  element?.scrollIntoView({ block: 'center' });
}
