import { html, nothing, type TemplateResult } from 'lit';
import { DashboardPage, pageFrame } from '../../app/dashboard-page.ts';
import { SendKey } from '../../app/send-key.ts';
import type { FormTexts } from '../../controls/action-dialog.ts';
import { fieldErrors } from '../../controls/form-field.ts';
import { errorNote } from '../../controls/states.ts';
import {
  destinationErrorNames,
  destinationFields,
  destinationStart,
  plainErrors,
  typedDestination,
} from '../destination-fields.ts';
import { loadWaysOut } from '../destination-ways.ts';
import { mayNotSend } from '../roles.ts';
import { detailFields, detailNames, typedDetails } from './recipient-fields.ts';

/** The form for a new recipient with an optional first destination. */
class NewRecipientPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    texts: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };

  declare texts: FormTexts;
  declare error: unknown;
  declare isBusy: boolean;

  readonly #ways = loadWaysOut(this);
  readonly #key = new SendKey();

  constructor() {
    super();
    Object.assign(this, { texts: { ...destinationStart, type: 'individual' }, error: null, isBusy: false });
  }

  readonly #type = (name: string, text: string): void => {
    this.texts = { ...this.texts, [name]: text };
  };

  async #save(event: Event): Promise<void> {
    event.preventDefault();
    if (this.isBusy) return;
    Object.assign(this, { isBusy: true, error: null });
    const destination = typedDestination(this.texts);
    const given = Object.entries(typedDetails(this.texts)).filter(([, value]) => value !== null);
    const body = {
      ...(Object.fromEntries(given) as { name: string; type: 'individual' | 'business' }),
      ...(destination !== null && { destinations: [destination] }),
    };
    try {
      const { recipients } = this.app.client;
      const { id } = await this.#key.run(body, idempotencyKey => recipients.create(body, { idempotencyKey }));
      this.app.toast({ text: 'Recipient created', tone: 'good' });
      this.app.go(`/recipients/${id}`, { replace: true });
    } catch (error) {
      this.error = error;
      await this.updateComplete;
      this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
    this.isBusy = false;
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Recipients', path: '/recipients' },
      title: 'New recipient',
      subtitle: 'A person or business that you pay.',
      body: html`${mayNotSend(this.app)} ${this.app.may('money') ? this.#form() : nothing}`,
    });
  }

  #form(): TemplateResult {
    const { texts, error, isBusy } = this;
    const errors = plainErrors(fieldErrors(error));
    const known = [...detailNames, ...destinationErrorNames(texts)];
    const isElsewhere = error !== null && !known.some(name => errors[name] !== undefined);
    return html`<form class="stack" novalidate aria-label="New recipient" @submit=${this.#save}>
      <section class="card" aria-labelledby="who">
        <h2 id="who">Who</h2>
        <fieldset class="grid" aria-labelledby="who">${detailFields(texts, errors, this.#type)}</fieldset>
      </section>
      <section class="card" aria-labelledby="where">
        <h2 id="where">Where the money goes</h2>
        <fieldset class="grid" aria-labelledby="where">${destinationFields({ texts, errors, type: this.#type, none: 'Nowhere yet', ways: this.#ways.value })}</fieldset>
      </section>
      ${isElsewhere ? errorNote(error) : nothing}
      <div class="actions">
        <button class="main" type="submit" ?disabled=${isBusy}>${isBusy ? 'Saving …' : 'Create recipient'}</button>
      </div>
    </form>`;
  }
}

customElements.define('pay-new-recipient-page', NewRecipientPage);
