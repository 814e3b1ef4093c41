import { css, html, nothing, type TemplateResult } from 'lit';
import { isEmail } from '../../core/email.ts';
import { type CheckoutContext, localeOf, rootOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { focusOn, note } from '../controls/controls.ts';
import { amount } from '../first-screen/heading.ts';
import type { CheckoutCustomer } from '../state/checkout-config.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import { detailsStrings } from '../strings/en/details.ts';
import { say } from '../strings/en.ts';
import { startProblemText } from './set-up.ts';

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
    border: 1px solid var(--edge);
    border-radius: var(--corner);
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

const stringsOf = ({ strings }: CheckoutContext): Words => strings.parts?.details ?? detailsStrings;

const checks: Readonly<Record<Field, (value: string, strings: Words) => string>> = {
  email: (value, strings) => (value ? (isEmail(value) ? '' : strings.emailWrong) : strings.emailMissing),
  name: (value, strings) => (value ? '' : strings.nameMissing),
};

/** Further fields of a form, and its callbacks. */
export interface CustomerFormOptions {
  /** The customer named by the page. With it, the form has no customer fields. */
  readonly known: CheckoutCustomer | null;
  /** Content above the customer's fields. */
  above(): unknown;
  /** Checks the fields above the customer's fields. An invalid field shows its error and gets the focus. */
  check(): boolean;
  send(customer: CheckoutCustomer): Promise<void> | undefined;
}

/** Asks for the customer before a payment is created. */
export function createView(context: CheckoutContext): View {
  return createForm(context, {
    known: null,
    above: () => nothing,
    check: () => true,
    send: customer => context.session?.identify(customer),
  });
}

/** Creates the form: the fields of `options`, the customer's fields and the button. */
export function createForm(context: CheckoutContext, options: CustomerFormOptions): View {
  // Without a payment, this only sets `up`, and the note about the connection disappears.
  const isBack = () => void storeOf(context)?.readPayment();
  addEventListener('online', isBack);
  let wrong: Partial<Record<Field, string>> = {};

  const inputOf = (field: Field) => rootOf(context).querySelector<HTMLInputElement>(`#pay-${field}`);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (stateOf(context).busy) return;
    const email = inputOf('email')?.value.trim() ?? '';
    const name = inputOf('name')?.value.trim() ?? '';
    const strings = stringsOf(context);
    wrong = options.known ? {} : { email: checks.email(email, strings), name: checks.name(name, strings) };
    context.element.requestUpdate();
    const first = (['email', 'name'] as const).find(field => wrong[field]);
    if (!options.check()) return;
    if (first) return inputOf(first)?.focus();
    await options.send(options.known ?? { email, name });
    await context.element.updateComplete;
    if (!context.session?.needsCustomer()) focusOn(context, '[aria-selected=true]');
  }

  /** Updates a field's error while the payer types. A field without an error gets one only when the form is sent. */
  function recheck(field: Field): void {
    if (!wrong[field]) return;
    wrong = { ...wrong, [field]: checks[field](inputOf(field)?.value.trim() ?? '', stringsOf(context)) };
    context.element.requestUpdate();
  }

  function input(field: Field, type: string, autocomplete: string, hint: string): TemplateResult {
    const message = wrong[field];
    return html`<div>
      <label for="pay-${field}">${stringsOf(context)[field]}</label>
      <input
        id="pay-${field}"
        part="field"
        type=${type}
        autocomplete=${autocomplete}
        placeholder=${hint}
        maxlength="250"
        aria-invalid=${message ? 'true' : 'false'}
        aria-describedby=${message ? `wrong-${field}` : nothing}
        @input=${() => recheck(field)}
      />
      ${message ? html`<p class="wrong" id="wrong-${field}">${message}</p>` : nothing}
    </div>`;
  }

  function trouble({ problem, up }: CheckoutState): unknown {
    if (!problem || (up && !problem.status)) return nothing;
    const strings = stringsOf(context);
    const message = startProblemText(context, problem).replace('|', ' ');
    return note(problem.status ? say(strings.failed, { message }) : strings.unreachable, 'bad', 'alert');
  }

  return {
    render(state) {
      const { amount: minor, currency } = context.element;
      const strings = stringsOf(context);
      const busy = state.busy !== null;
      return html`${minor && currency ? amount(minor, currency.toUpperCase(), localeOf(context)) : nothing}
        <form novalidate @submit=${submit}>
          ${options.above()}
          ${
            options.known
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
