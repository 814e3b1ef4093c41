import { html, nothing, type TemplateResult } from 'lit';
import { DashboardPage } from '../app/dashboard-page.ts';
import { errorNote } from '../controls/states.ts';

/** Signs in by the start token of the address (`#start=…`), or in the sandbox by one press. */
class SignInPage extends DashboardPage {
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

  override connectedCallback(): void {
    super.connectedCallback();
    const token = new URLSearchParams(location.hash.slice(1)).get('start');
    if (token === null) return;
    // The token works once, so it leaves the address bar and the history.
    history.replaceState(null, '', location.pathname);
    void this.#signIn({ start_token: token });
  }

  async #signIn(body: object): Promise<void> {
    this.isBusy = true;
    this.error = null;
    try {
      await this.app.calls.post('/v1/session', body);
      await this.app.refreshSession();
    } catch (error) {
      this.error = error;
      this.isBusy = false;
    }
  }

  override render(): TemplateResult {
    return html`<div class="card">
      <h1 tabindex="-1">Sign in</h1>
      ${this.error === null ? nothing : errorNote(this.error)}
      <button class="main" type="button" ?disabled=${this.isBusy} @click=${() => void this.#signIn({ sandbox: true })}>
        Open the sandbox dashboard
      </button>
      <p class="hint">In the sandbox one press signs in, until a person sets a password.</p>
    </div>`;
  }
}

customElements.define('pay-sign-in-page', SignInPage);
