import { html, type TemplateResult } from 'lit';
import { pathTo } from '../app/router.ts';
import { formField } from '../controls/form-field.ts';
import { FormPage, submitButton } from './sign-in-form.ts';

/** Requests a mail with a link for choosing a new password. */
class ForgotPasswordPage extends FormPage {
  static override readonly properties = { ...FormPage.properties, sentTo: { state: true } };

  /** The typed e-mail address. Null until the service has answered. */
  declare sentTo: string | null;

  constructor() {
    super();
    this.sentTo = null;
  }

  readonly #submit = this.onSubmit(async ({ email = '' }) => {
    await this.app.calls.post('/v1/password-resets', { email });
    this.sentTo = email;
  });

  override render(): TemplateResult {
    const back = html`<p><a href=${pathTo('/sign-in')}>Back to the sign-in</a></p>`;
    if (this.sentTo !== null) {
      return html`<div class="card">
        <h1 tabindex="-1">Look into your mailbox</h1>
        <p role="status">If <strong>${this.sentTo}</strong> has an account here, a mail is on its way. It works for one hour.</p>
        ${back}
      </div>`;
    }
    return html`<form class="card" novalidate @submit=${this.#submit}>
      <h1 tabindex="-1">Forgotten your password?</h1>
      <p>Type your e-mail address. You get a mail with which you choose a new password.</p>
      ${this.errorNote('email')}
      ${formField({ label: 'E-mail', name: 'email', type: 'email', autocomplete: 'username', error: this.fieldErrors['email'] })}
      ${submitButton('Send the mail', this.isBusy)}
      ${back}
    </form>`;
  }
}

customElements.define('pay-forgot-password-page', ForgotPasswordPage);
