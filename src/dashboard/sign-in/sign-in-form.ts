import { html, nothing, type TemplateResult } from 'lit';
import { DashboardPage } from '../app/dashboard-page.ts';
import { fieldErrors, formValues } from '../controls/form-field.ts';
import { errorNote } from '../controls/states.ts';

/** A page with one form, for people who are not signed in. */
export abstract class FormPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    error: { state: true },
    isBusy: { state: true },
  };

  declare error: unknown;
  declare isBusy: boolean;

  constructor() {
    super();
    this.error = null;
    this.isBusy = false;
  }

  /** Runs a call of the service. Ignores further calls meanwhile. Passes an error to `refused`. */
  protected async attempt(run: () => Promise<unknown>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.error = null;
    try {
      await run();
    } catch (error) {
      this.refused(error);
    }
    this.isBusy = false;
  }

  /** Shows the error, and moves the focus to the first wrong field. */
  protected refused(error: unknown): void {
    this.error = error;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  }

  /** Creates a submit handler that calls `send` with the texts of the form. */
  protected readonly onSubmit =
    (send: (texts: Readonly<Record<string, string>>) => Promise<unknown>) => (event: Event) => {
      event.preventDefault();
      const texts = { ...formValues(event.target as HTMLFormElement), ...exactTexts(event.target as HTMLFormElement) };
      void this.attempt(() => send(texts));
    };

  /** The messages of the last error by field. */
  protected get fieldErrors(): Readonly<Record<string, string>> {
    return fieldErrors(this.error);
  }

  /** A note with the last error. Nothing if the fields `shown` already show all its messages. */
  protected errorNote(...shown: readonly string[]): TemplateResult | typeof nothing {
    const fields = Object.keys(this.fieldErrors);
    const isShown = fields.length > 0 && fields.every(field => shown.includes(field));
    return this.error === null || isShown ? nothing : errorNote(this.error);
  }
}

/** The passwords of a form by name, with their outer blanks. */
function exactTexts(form: HTMLFormElement): Record<string, string> {
  const inputs = [...form.querySelectorAll<HTMLInputElement>('input[type=password]')];
  return Object.fromEntries(inputs.map(({ name, value }) => [name, value]));
}

/** The token in a mail's link (`#token=…`). Removes the token from the address bar and the history. */
export function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  history.replaceState(null, '', location.pathname);
  return token;
}

/** The submit button of a form. */
export function submitButton(label: string, isBusy: boolean): TemplateResult {
  return html`<button class="main" type="submit" ?disabled=${isBusy}>${isBusy ? 'One moment …' : label}</button>`;
}

export const passwordHint = 'At least 10 characters. Several words make a good one.';
