import { html, type TemplateResult } from 'lit';
import { pathTo } from '../app/router.ts';
import { formField } from '../controls/form-field.ts';
import { FormPage, passwordHint, submitButton, takeToken } from './sign-in-form.ts';

/** Sets a new password by the token in the mail's link (`#token=…`). */
class ResetPasswordPage extends FormPage {
  static override readonly properties = { ...FormPage.properties, isDone: { state: true } };

  declare isDone: boolean;
  #token = '';

  constructor() {
    super();
    this.isDone = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#token ||= takeToken();
  }

  readonly #submit = this.onSubmit(async ({ password = '' }) => {
    await this.app.calls.post('/v1/password-resets/confirm', { token: this.#token, password });
    this.isDone = true;
    await this.app.refreshSession();
  });

  override render(): TemplateResult {
    if (this.isDone) {
      return html`<div class="card">
        <h1 tabindex="-1">Your password is changed</h1>
        <p role="status">All your sessions have ended. Sign in with the new password.</p>
        <a class="main" href=${pathTo('/sign-in')}>Sign in</a>
      </div>`;
    }
    return html`<form class="card" novalidate @submit=${this.#submit}>
      <h1 tabindex="-1">Choose a new password</h1>
      ${this.errorNote('password')}
      ${formField({
        label: 'New password',
        name: 'password',
        type: 'password',
        autocomplete: 'new-password',
        hint: passwordHint,
        error: this.fieldErrors['password'],
      })}
      ${submitButton('Save the password', this.isBusy)}
      <p><a href=${pathTo('/forgot-password')}>Ask for a new mail</a></p>
    </form>`;
  }
}

customElements.define('pay-reset-password-page', ResetPasswordPage);
