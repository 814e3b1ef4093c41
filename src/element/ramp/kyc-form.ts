import { html, nothing, type TemplateResult } from 'lit';
import type { KycField } from '../../api/kyc/kyc.ts';
import { countryCodes, twoLetterCode } from '../../core/kyc/countries.ts';
import { note } from '../controls/controls.ts';
import { say } from '../strings/en.ts';
import { field, problemIn, type RampContext, stateIn } from './ramp-context.ts';

/** The identity check of an incomplete ramp: its form, or where the check stands. */
export function kycView(context: RampContext): TemplateResult {
  const { strings } = context;
  const { kyc, problem, busy } = stateIn(context);
  if (!kyc) return problem ? note(problemIn(context, problem), 'bad', 'alert') : html`<div class="bone"></div>`;
  const reasons = kyc.rejection_reasons.join(' ');
  if (kyc.status === 'rejected') return note(say(strings.kycRejected, { reasons }), 'bad', 'alert');
  const needed = kyc.fields.filter(({ status, required }) => status === 'needed' && required);
  if (!kyc.fields[0]) return note(strings.kycPlatform, '', 'status');
  if (!needed[0]) return note(strings.kycReview, '', 'status');
  const isSending = busy === 'kyc';
  return html`<h2>${strings.kycTitle}</h2>
    <p class="hint">${strings.kycIntro}</p>
    ${reasons ? note(say(strings.kycAgain, { reasons }), 'warn', 'status') : nothing}
    <form novalidate @submit=${(event: Event) => send(context, needed, event)}>
      ${needed.map(each => kycField(context, each))}
      ${problem ? note(problemIn(context, problem), 'bad', 'alert') : nothing}
      <button class="main" part="button" aria-disabled=${isSending}>
        ${isSending ? html`<span class="spin"></span>` : nothing}${strings.kycSend}
      </button>
    </form>`;
}

/** Sends the fields as a form, because some of them may be files. */
async function send(context: RampContext, needed: readonly KycField[], event: Event): Promise<void> {
  event.preventDefault();
  if (stateIn(context).busy) return;
  const form = new FormData(event.target as HTMLFormElement);
  const isEmpty = (value: FormDataEntryValue | null) => (typeof value === 'string' ? !value.trim() : !value?.size);
  const missing = needed.filter(({ name }) => isEmpty(form.get(name)));
  context.wrong = Object.fromEntries(missing.map(({ name }) => [name, context.strings.kycMissing]));
  context.element.requestUpdate();
  if (!missing[0]) return await context.store.giveKyc(form);
  await context.element.updateComplete;
  context.element.renderRoot.querySelector<HTMLElement>(`[name="${missing[0].name}"]`)?.focus();
}

/** Fills in by the browser, by the name in SEP-9. */
const autocompletes: Readonly<Record<string, string>> = {
  first_name: 'given-name',
  last_name: 'family-name',
  birth_date: 'bday',
  address: 'street-address',
  city: 'address-level2',
  mobile_number: 'tel',
};

const inputTypes: Readonly<Partial<Record<KycField['format'], string>>> = {
  date: 'date',
  phone: 'tel',
  email: 'email',
  web: 'url',
};

function kycField(context: RampContext, { name, format, description, choices }: KycField): TemplateResult {
  const { strings } = context;
  const label = strings.fields[name] ?? description;
  const hint = format === 'file' ? (isOfDocument(name) ? strings.photograph : strings.kycFile) : '';
  const forget = () => {
    if (context.wrong[name]) context.wrong = { ...context.wrong, [name]: '' };
    context.element.requestUpdate();
  };
  return field(
    context,
    name,
    label,
    (id, invalid, describedBy) => {
      const options = choices ?? (format === 'country' ? countryCodes : null);
      if (options !== null) {
        return html`<select id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${describedBy} @change=${forget}>
          <option value="">${strings.choose}</option>
          ${named(context, options, format).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select>`;
      }
      if (format === 'file') return fileInput(id, name, invalid, describedBy, forget);
      return html`<input
        id=${id}
        name=${name}
        part="field"
        type=${inputTypes[format] ?? 'text'}
        autocomplete=${autocompletes[name] ?? 'off'}
        maxlength="500"
        aria-invalid=${invalid}
        aria-describedby=${describedBy}
        @input=${forget}
      />`;
    },
    hint,
  );
}

/** Whether the file shows a document or a face, which the camera takes. Others may be a PDF. */
const isOfDocument = (name: string) => /photo_id|liveness/.test(name);

function fileInput(id: string, name: string, invalid: string, describedBy: unknown, forget: () => void) {
  return isOfDocument(name)
    ? html`<input id=${id} name=${name} type="file" accept="image/*" capture="environment" aria-invalid=${invalid} aria-describedby=${describedBy} @change=${forget} />`
    : html`<input id=${id} name=${name} type="file" accept="image/*,application/pdf" aria-invalid=${invalid} aria-describedby=${describedBy} @change=${forget} />`;
}

/** The choices with their names, in the order of the names. */
function named(
  { strings, locale }: RampContext,
  values: readonly string[],
  format: KycField['format'],
): [string, string][] {
  if (format !== 'country') return values.map(value => [value, strings.values[value] ?? value]);
  const names = new Intl.DisplayNames(locale(), { type: 'region' });
  const entries = values.map((code): [string, string] => [code, names.of(twoLetterCode(code)) ?? code]);
  return entries.sort(([, one], [, other]) => one.localeCompare(other, locale()));
}
