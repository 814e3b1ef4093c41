import { css, html, nothing, type TemplateResult } from 'lit';
import { isEmail } from '../../core/email.ts';
import type { CheckoutCustomer } from '../checkout-config.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { type Desk, dispatch, localeOf, rootOf, stateOf } from '../desk.ts';
import { say } from '../strings/en.ts';
import { detailsStrings } from '../strings/en-details.ts';
import type { View } from '../view-rack.ts';
import { linkChunk } from './details-chunks.ts';
import { focusOn, note, problemText } from './furniture.ts';
import { amount } from './heading.ts';
import { createLater } from './later-view.ts';

export const styles = css`
  form {
    display: grid;
    gap: 14px;
  }
  form h2 {
    font-size: 1.067em;
    font-weight: 600;
  }
  form label {
    display: block;
    margin-block-end: 6px;
    color: var(--ink2);
    font-size: 0.934em;
  }
  form input {
    inline-size: 100%;
    min-block-size: 48px;
    padding: 8px 14px;
    border: 1px solid var(--line);
    border-radius: var(--pay-radius-field, 10px);
    background: var(--field);
    color: var(--ink);
    font: inherit;
    font-size: calc(1em / 0.9375);
  }
  form input::placeholder {
    color: var(--ink3);
    opacity: 1;
  }
  form input:focus-visible {
    border-color: var(--accent-text);
    outline: 3px solid color-mix(in srgb, var(--accent-text) 28%, transparent);
    outline-offset: 0;
  }
  form input[aria-invalid="true"] {
    border-color: var(--bad);
  }
  .wrong {
    margin-block-start: 6px;
    color: var(--bad);
    font-size: 0.934em;
  }
`;

type Field = 'email' | 'name';

type Words = typeof detailsStrings;

const stringsOf = ({ strings }: Desk): Words => strings.parts?.details ?? detailsStrings;

const checks: Readonly<Record<Field, (value: string, strings: Words) => string>> = {
  email: (value, strings) => (value ? (isEmail(value) ? '' : strings.emailWrong) : strings.emailMissing),
  name: (value, strings) => (value ? '' : strings.nameMissing),
};

/** What a form asks besides who pays, and what becomes of the answers. */
export interface Errand {
  /** Who pays, where the page has said so: then it is not asked. */
  readonly known: CheckoutCustomer | null;
  /** Stands above who pays. */
  above(): unknown;
  /** Whether what it asks is answered well; what is wrong is said then, and has the focus. */
  check(): boolean;
  send(customer: CheckoutCustomer): Promise<void> | undefined;
}

/** Asks who pays, before a payment is created. */
export function createView(desk: Desk): View {
  if (desk.element.link) return createLater(desk, linkChunk);
  return createForm(desk, {
    known: null,
    above: () => nothing,
    check: () => true,
    send: customer => desk.session?.identify(customer),
  });
}

/** The form: what the errand asks, who pays, and the button that goes on. */
export function createForm(desk: Desk, errand: Errand): View {
  // What was said of the line is not true any more when it is back.
  const isBack = () => void dispatch(desk, { type: 'check' });
  addEventListener('online', isBack);
  let wrong: Partial<Record<Field, string>> = {};

  const inputOf = (field: Field) => rootOf(desk).querySelector<HTMLInputElement>(`#pay-${field}`);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (stateOf(desk).busy) return;
    const email = inputOf('email')?.value.trim() ?? '';
    const name = inputOf('name')?.value.trim() ?? '';
    const strings = stringsOf(desk);
    wrong = errand.known ? {} : { email: checks.email(email, strings), name: checks.name(name, strings) };
    desk.element.requestUpdate();
    const first = (['email', 'name'] as const).find(field => wrong[field]);
    if (!errand.check()) return;
    if (first) return inputOf(first)?.focus();
    await errand.send(errand.known ?? { email, name });
    await desk.element.updateComplete;
    if (!desk.session?.needsCustomer()) focusOn(desk, '[aria-selected=true]');
  }

  /** A mistake is taken back as soon as it is mended; a new one is told only when the payer goes on. */
  function mend(field: Field): void {
    if (!wrong[field]) return;
    wrong = { ...wrong, [field]: checks[field](inputOf(field)?.value.trim() ?? '', stringsOf(desk)) };
    desk.element.requestUpdate();
  }

  function input(field: Field, type: string, autocomplete: string, hint: string): TemplateResult {
    const message = wrong[field];
    return html`<div>
      <label for="pay-${field}">${stringsOf(desk)[field]}</label>
      <input
        id="pay-${field}"
        part="field"
        type=${type}
        autocomplete=${autocomplete}
        placeholder=${hint}
        maxlength="250"
        aria-invalid=${message ? 'true' : 'false'}
        aria-describedby=${message ? `wrong-${field}` : nothing}
        @input=${() => mend(field)}
      />
      ${message ? html`<p class="wrong" id="wrong-${field}">${message}</p>` : nothing}
    </div>`;
  }

  function trouble({ problem }: CheckoutState): unknown {
    if (!problem) return nothing;
    const strings = stringsOf(desk);
    const message = problemText(desk, problem).replace('|', ' ');
    return note(problem.status ? say(strings.failed, { message }) : strings.unreachable, 'bad', 'alert');
  }

  return {
    render(state) {
      const { amount: minor, currency } = desk.element;
      const strings = stringsOf(desk);
      const busy = state.busy !== null;
      return html`${minor && currency ? amount(minor, currency.toUpperCase(), currency.toUpperCase(), localeOf(desk)) : nothing}
        <form novalidate @submit=${submit}>
          ${errand.above()}
          ${
            errand.known
              ? nothing
              : html`<h2>${strings.title}</h2>
                  ${input('email', 'email', 'email', strings.emailHint)}
                  ${input('name', 'text', 'name', strings.nameHint)}`
          }
          ${trouble(state)}
          <button class="main" part="button" aria-disabled=${busy}>
            ${busy ? html`<span class="spin"></span>` : nothing}${strings.next}
          </button>
        </form>`;
    },
    dispose: () => removeEventListener('online', isBack),
  };
}
