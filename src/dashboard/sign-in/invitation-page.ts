import { html, nothing, type TemplateResult } from 'lit';
import type { OpenedInvitation } from '../../api/people/team.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { keepSelection } from '../app/selection.ts';
import { formField } from '../controls/form-field.ts';
import { note } from '../controls/states.ts';
import { FormPage, passwordHint, submitButton, takeToken } from './sign-in-form.ts';

/** Accepts an invitation by the token in the mail's link (`#token=…`). */
class InvitationPage extends FormPage {
  static override readonly properties = { ...FormPage.properties, isJoined: { state: true } };

  /** Whether a person with an account has joined. The person can then sign in. */
  declare isJoined: boolean;
  #token = '';

  readonly #invitation = new Loaded<OpenedInvitation>(this, signal => {
    this.#token ||= takeToken();
    return this.app.calls.post('/v1/invitations/open', { token: this.#token }, { signal });
  });

  constructor() {
    super();
    this.isJoined = false;
  }

  readonly #submit = this.onSubmit(async ({ name, password }) => {
    const body = { token: this.#token, ...(name !== undefined && { name }), ...(password && { password }) };
    const { session, merchant } = await this.app.calls.post<{ session: object | null; merchant: { id: string } }>(
      '/v1/invitations/accept',
      body,
    );
    keepSelection({ merchant: merchant.id, mode: null });
    this.isJoined = session === null;
    await this.app.refreshSession();
    if (session !== null) this.app.go('/', { replace: true });
  });

  override render(): TemplateResult {
    return html`<div class="card">
      <h1 tabindex="-1">${this.#invitation.value === null ? 'Invitation' : `Join ${this.#invitation.value.merchant.name}`}</h1>
      ${this.#invitation.render(invitation => this.#content(invitation))}
    </div>`;
  }

  #content(invitation: OpenedInvitation): TemplateResult {
    if (this.isJoined) {
      return html`<p role="status">You have joined ${invitation.merchant.name}.</p>
        <a class="main" href=${pathTo('/sign-in')}>Go on</a>`;
    }
    const { email, role, has_account: hasAccount } = invitation;
    return html`<form class="fields" novalidate @submit=${this.#submit}>
      ${note(html`<strong>${email}</strong> gets the role <strong>${role}</strong>.`)}
      ${this.errorNote(...(hasAccount ? [] : ['name', 'password']))}
      ${hasAccount ? nothing : this.#newPersonFields()}
      ${submitButton('Accept the invitation', this.isBusy)}
    </form>`;
  }

  #newPersonFields(): TemplateResult {
    const errors = this.fieldErrors;
    return html`${formField({ label: 'Your name', name: 'name', autocomplete: 'name', maxLength: 100, error: errors['name'] })}
      ${formField({
        label: 'Password',
        name: 'password',
        type: 'password',
        autocomplete: 'new-password',
        hint: passwordHint,
        error: errors['password'],
      })}`;
  }
}

customElements.define('pay-invitation-page', InvitationPage);
