import { html, nothing, type TemplateResult } from 'lit';
import type { Account } from '../../../api/merchant.ts';
import { DashboardPage, pageFrame } from '../../app/dashboard-page.ts';
import { Loaded } from '../../app/loaded.ts';
import { pathTo } from '../../app/router.ts';
import { fieldErrors } from '../../controls/form-field.ts';
import { errorNote, roleNote } from '../../controls/states.ts';
import { ruleStyles } from './rule-list.ts';
import { offerCard, ruleCards, type TermsForm } from './terms-cards.ts';
import { type TermsTexts, termsTexts, typedTerms } from './terms-texts.ts';

/** The account, and the assets that the operator lists. */
type Shown = readonly [Account, readonly string[]];

/** The parameters of errors that the form shows at a field. */
const shownAt = /^ramps\.((fees|limits)\[\d+\]\.\w+|(assets|methods)(\[\d+\])?|late_money|kyc)$/;

/** The account's rules for ramps: what customers buy and how they pay, fees, limits and identity checks. */
class RampTermsPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    texts: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };
  static override readonly styles = [DashboardPage.styles, ruleStyles];

  /** The typed rules. Null: nothing was typed since the account was read. */
  declare texts: TermsTexts | null;
  declare error: unknown;
  declare isBusy: boolean;

  readonly #shown = new Loaded<Shown>(this, async signal => {
    const { client } = this.app;
    const [account, { settlement_assets: assets }] = await Promise.all([
      client.account.retrieve({ signal }),
      client.capabilities.retrieve({ signal }),
    ]);
    return [account, assets];
  });

  constructor() {
    super();
    Object.assign(this, { texts: null, error: null, isBusy: false });
  }

  async #save(event: Event, [account, assets]: Shown): Promise<void> {
    event.preventDefault();
    if (this.isBusy) return;
    const focused = this.shadowRoot?.activeElement as HTMLElement | null | undefined;
    Object.assign(this, { isBusy: true, error: null });
    try {
      const ramps = typedTerms(this.texts ?? termsTexts(account.ramps));
      this.#shown.set([await this.app.client.account.update({ ramps }), assets]);
      this.texts = null;
      this.app.toast({ text: 'Ramps saved', tone: 'good' });
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
    await this.updateComplete;
    // The disabled fields have lost the focus.
    (this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]') ?? focused)?.focus();
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Ramps',
      subtitle: 'What your customers can buy, what it costs, and how much of it.',
      actions: html`<a class="second" href=${pathTo('/ramps')}>See the ramps</a>`,
      body: this.#shown.render(shown => html`${roleNote(this.app, 'manage')} ${this.#form(shown)}`),
    });
  }

  #form(shown: Shown): TemplateResult {
    const [account, listed] = shown;
    const { error, isBusy } = this;
    const may = this.app.may('manage');
    const texts = this.texts ?? termsTexts(account.ramps);
    const errors = fieldErrors(error);
    const form: TermsForm = {
      texts,
      listed,
      change: changed => {
        this.texts = { ...texts, ...changed };
      },
      // Errors name a rule by its position, which is another rule's now.
      arrange: changed => Object.assign(this, { texts: { ...texts, ...changed }, error: null }),
      // The field stands for its name in the API.
      errorOf: param => errors[param]?.replace(`${param} `, 'It '),
      focus: selector => void this.#focus(selector),
    };
    const isElsewhere = error !== null && !Object.keys(errors).some(param => shownAt.test(param));
    return html`<form class="stack" novalidate aria-label="Ramps" @submit=${(event: Event) => this.#save(event, shown)}>
      <fieldset class="stack" aria-label="Ramps" ?disabled=${!may || isBusy}>${offerCard(form)} ${ruleCards(form)}</fieldset>
      ${isElsewhere ? errorNote(error) : nothing}
      ${may ? html`<div class="actions"><button class="main" type="submit" ?disabled=${isBusy}>${isBusy ? 'Saving …' : 'Save'}</button></div>` : nothing}
    </form>`;
  }
}

customElements.define('pay-ramp-terms-page', RampTermsPage);
