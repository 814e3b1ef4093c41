import { html, nothing, type TemplateResult } from 'lit';
import { PayApiError } from '../../api/client.ts';
import { ShownError } from './states.ts';

/** A field of a form. `name` is the field's name in the API, for example `customer.email`. */
export interface FormField {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local' | 'url' | 'search' | 'tel';
  readonly value?: string;
  readonly hint?: string | TemplateResult;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'email' | 'url';
  readonly maxLength?: number;
  /** If set, the field is a menu of these values. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** If set, the field is a text area with this number of rows. */
  readonly rows?: number;
  readonly onInput?: (value: string) => void;
}

/** Label, hint, input and error. Screen readers read hint and error with the input. The error says what to do. */
export function formField(field: FormField): TemplateResult {
  const id = `field-${field.name.replace(/[^\w-]/g, '-')}`;
  const described = [field.hint && `${id}-hint`, field.error && `${id}-error`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${field.label}</label>
    ${field.hint ? html`<div class="hint" id=${`${id}-hint`}>${field.hint}</div>` : nothing}
    ${inputOf(field, id, described)}
    ${field.error ? html`<div class="error" id=${`${id}-error`}>${field.error}</div>` : nothing}
  </div>`;
}

function inputOf(field: FormField, id: string, described: string): TemplateResult {
  const { name, value = '', error, required = false, options, rows } = field;
  const invalid = error ? 'true' : nothing;
  const say = (event: Event) => field.onInput?.((event.target as HTMLInputElement).value);
  const help = described || nothing;
  if (options !== undefined) {
    return html`<select class="input" id=${id} name=${name} ?required=${required} aria-invalid=${invalid}
      aria-describedby=${help} @change=${say}>
      ${options.map(([key, label]) => html`<option value=${key} ?selected=${key === value}>${label}</option>`)}
    </select>`;
  }
  if (rows !== undefined) {
    return html`<textarea class="input" id=${id} name=${name} rows=${rows} ?required=${required}
      aria-invalid=${invalid} aria-describedby=${help} maxlength=${field.maxLength ?? nothing}
      placeholder=${field.placeholder ?? nothing} .value=${value} @input=${say}></textarea>`;
  }
  return html`<input class="input" id=${id} name=${name} type=${field.type ?? 'text'} ?required=${required}
    aria-invalid=${invalid} aria-describedby=${help} maxlength=${field.maxLength ?? nothing}
    placeholder=${field.placeholder ?? nothing} autocomplete=${(field.autocomplete ?? 'off') as 'off'}
    inputmode=${field.inputMode ?? nothing} .value=${value} @input=${say}>`;
}

/** A checkbox with its label. */
export function checkField(
  label: string | TemplateResult,
  name: string,
  checked: boolean,
  onChange?: (checked: boolean) => void,
  isInvalid = false,
): TemplateResult {
  return html`<label class="check">
    <input type="checkbox" name=${name} .checked=${checked} aria-invalid=${isInvalid ? 'true' : nothing}
      @change=${(event: Event) => onChange?.((event.target as HTMLInputElement).checked)}>
    <span>${label}</span>
  </label>`;
}

/** The messages of an error by field (`param`). Empty for errors without fields. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof PayApiError || error instanceof ShownError)) return {};
  const own = error.param === null ? [] : [[error.param, error.message]];
  if (error instanceof ShownError) return Object.fromEntries(own);
  return Object.fromEntries([...own, ...error.errors.map(({ param, message }) => [param, message])]);
}

/** The texts of a form by name, without outer blanks. Omits empty fields. */
export function formValues(form: HTMLFormElement): Readonly<Record<string, string>> {
  const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries.map(([name, text]) => [name, text.trim()]).filter(([, text]) => text !== ''));
}
