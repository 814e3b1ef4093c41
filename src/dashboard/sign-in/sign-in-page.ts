import { html, nothing, type TemplateResult } from 'lit';
import { PayApiError } from '../../api/client.ts';
import type { SignInOptions } from '../../api/people/person.ts';
import { pathBelow, pathTo } from '../app/router.ts';
import { formField } from '../controls/form-field.ts';
import { note } from '../controls/states.ts';
import { askPasskey } from './ask-passkey.ts';
import { FormPage, submitButton } from './sign-in-form.ts';

/**
 * Signs a person in: by e-mail address and password, by a passkey, by the token of the start link (`#start=…`), or in
 * the sandbox by one press. A password may also need a code. The fragment `#sandbox` replaces the press.
 */
class SignInPage extends FormPage {
  static override readonly properties = {
    ...FormPage.properties,
    isSandbox: { state: true },
    known: { state: true },
  };

  /** Whether one press is enough to sign in: the server is a sandbox, and no person has a password yet. */
  declare isSandbox: boolean;
  /** The correct e-mail address and password, while the person enters the code. Null before. */
  declare known: { readonly email: string; readonly password: string } | null;

  constructor() {
    super();
    this.isSandbox = false;
    this.known = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get('start');
    void this.#readOptions();
    if (token === null && !fragment.has('sandbox')) return;
    // Removes the token from the address bar and the history.
    history.replaceState(null, '', location.pathname);
    void this.#signIn(token === null ? { sandbox: true } : { start_token: token });
  }

  async #readOptions(): Promise<void> {
    const options = await this.app.calls.get<SignInOptions>('/v1/session/options').catch(() => null);
    this.isSandbox = options?.sandbox === true;
  }

  #signIn(body: object): Promise<void> {
    return this.attempt(() => this.#enter('/v1/session', body));
  }

  async #enter(path: string, body: object): Promise<void> {
    await this.app.calls.post(path, body);
    await this.app.refreshSession();
    if (pathBelow(location.pathname) === '/sign-in') this.app.go('/', { replace: true });
  }

  readonly #submit = this.onSubmit(async ({ email = '', password = '', code }) => {
    const known = this.known ?? { email, password };
    try {
      await this.#enter('/v1/session', { ...known, ...(code !== undefined && { code }) });
    } catch (error) {
      const isAsked = error instanceof PayApiError && error.code === 'two_factor_required';
      if (!isAsked) throw error;
      this.known = known;
      await this.updateComplete;
      this.renderRoot.querySelector<HTMLElement>('input[name=code]')?.focus();
    }
  });

  async #usePasskey(): Promise<void> {
    await this.#enter('/v1/session/passkey', { response: await askPasskey(this.app.calls) });
  }

  override render(): TemplateResult {
    return this.known === null ? this.#passwordForm() : this.#codeForm();
  }

  #passwordForm(): TemplateResult {
    const hasPasskeys = 'PublicKeyCredential' in window;
    return html`<div class="card">
      <h1 tabindex="-1">Sign in</h1>
      ${this.errorNote('email', 'password')}
      ${this.isSandbox ? this.#sandboxEntry() : nothing}
      <form class="fields" novalidate @submit=${this.#submit}>
        ${formField({ label: 'E-mail', name: 'email', type: 'email', autocomplete: 'username', error: this.fieldErrors['email'] })}
        ${formField({ label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', error: this.fieldErrors['password'] })}
        ${submitButton('Sign in', this.isBusy)}
      </form>
      ${
        hasPasskeys
          ? html`<button class="second" type="button" ?disabled=${this.isBusy}
            @click=${() => void this.attempt(() => this.#usePasskey())}>Sign in with a passkey</button>`
          : nothing
      }
      <p><a href=${pathTo('/forgot-password')}>Forgotten your password?</a></p>
    </div>`;
  }

  #sandboxEntry(): TemplateResult {
    return html`<button class="main" type="button" ?disabled=${this.isBusy} @click=${() => void this.#signIn({ sandbox: true })}>
        Open the sandbox dashboard
      </button>
      <p class="hint">In the sandbox one press signs in, until a person sets a password.</p>`;
  }

  #codeForm(): TemplateResult {
    return html`<form class="card" novalidate @submit=${this.#submit}>
      <h1 tabindex="-1">Enter your code</h1>
      ${this.error === null ? note('Your authenticator app shows it. A recovery code works as well.') : this.errorNote('code')}
      ${formField({
        label: 'Code',
        name: 'code',
        autocomplete: 'one-time-code',
        required: true,
        maxLength: 20,
        error: this.fieldErrors['code'],
      })}
      ${submitButton('Sign in', this.isBusy)}
      <button class="plain" type="button" @click=${() => this.#startAgain()}>Use another account</button>
    </form>`;
  }

  #startAgain(): void {
    this.known = null;
    this.error = null;
  }
}

customElements.define('pay-sign-in-page', SignInPage);
