import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Approval } from '../../api/client.ts';
import type { Account } from '../../api/merchant.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { fieldErrors, formField } from '../controls/form-field.ts';
import { errorNote, roleNote } from '../controls/states.ts';
import { hasClock, seesTreasury } from './offers.ts';
import { type Section, sections } from './sections.ts';

/** The account's settings, saved section by section. */
class SettingsPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    saving: { state: true },
    refused: { state: true },
  };

  /** The section that is being saved. */
  declare saving: Section | null;
  /** The last error, and the section that it belongs to. */
  declare refused: { readonly section: Section; readonly error: unknown } | null;

  readonly #account = new Loaded(this, signal => this.app.client.account.retrieve({ signal }));

  /** The field that a link of another page named by `?field=`. Null after the form has shown the field. */
  #linked: string | null = null;

  constructor() {
    super();
    this.saving = null;
    this.refused = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Another person may approve or cancel a change of the limit.
    this.follow({ type: 'approval.' }, ({ data }) => {
      if ((data as { object: Approval }).object.kind === 'approval_limit') void this.#account.reload();
    });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('query')) this.#linked = this.query.get('field');
  }

  override updated(): void {
    if (this.#linked === null || this.#account.value === null) return;
    this.renderRoot.querySelector<HTMLElement>(`[name="${CSS.escape(this.#linked)}"]`)?.focus();
    this.#linked = null;
    // Without the field in the URL, a page that opens again does not move the focus to the field.
    const url = new URL(location.href);
    url.searchParams.delete('field');
    history.replaceState(null, '', url);
  }

  async #save(event: SubmitEvent, section: Section): Promise<void> {
    event.preventDefault();
    if (this.saving !== null) return;
    const entries = [...new FormData(event.target as HTMLFormElement)];
    const texts = Object.fromEntries(entries.map(([name, text]) => [name, String(text).trim()]));
    const focused = this.shadowRoot?.activeElement;
    const before = this.#account.value;
    this.refused = null;
    this.saving = section;
    try {
      const account = await this.app.client.account.update(section.body(texts));
      this.#account.set(account);
      this.#showKept(section, account);
      const outcome = before === null ? null : section.outcome?.(before, account);
      this.app.toast({ text: outcome ?? `${section.heading} saved`, tone: 'good' });
      // The frame shows the merchant's name. `refreshSession` also opens the page again.
      if (account.name !== this.app.session?.merchant.name) await this.app.refreshSession();
    } catch (error) {
      this.refused = { section, error };
    }
    this.saving = null;
    await this.updateComplete;
    // The disabled fields have lost the focus.
    (this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]') ?? (focused as HTMLElement | null))?.focus();
  }

  /** Shows the kept values. Rendering leaves typed text in a field whose value did not change, as of a waiting limit. */
  #showKept({ settings }: Section, account: Account): void {
    for (const { name, read } of settings) {
      const field = this.renderRoot.querySelector<HTMLInputElement>(`[name="${CSS.escape(name)}"]`);
      if (field !== null) field.value = read(account);
    }
  }

  override render(): TemplateResult {
    return pageFrame({
      title: 'Settings',
      actions: html`<a class="second" href=${pathTo('/settings/settlement')}>Settlement</a>
        <a class="second" href=${pathTo('/settings/ramps')}>Ramps</a>
        <a class="second" href=${pathTo('/settings/branding')}>Branding</a>
        <a class="second" href=${pathTo('/settings/domains')}>Domains</a>
        <a class="second" href=${pathTo('/settings/mails')}>Mail outbox</a>
        <a class="second" href=${pathTo('/settings/rails')}>Rails and chains</a>
        ${seesTreasury(this.app) ? html`<a class="second" href=${pathTo('/settings/treasury')}>Treasury</a>` : nothing}
        ${seesTreasury(this.app) ? html`<a class="second" href=${pathTo('/settings/bank-answers')}>Bank answers</a>` : nothing}
        ${hasClock(this.app) ? html`<a class="second" href=${pathTo('/settings/clock')}>Test clock</a>` : nothing}`,
      body: this.#account.render(account => this.#body(account)),
    });
  }

  #body(account: Account): TemplateResult {
    const may = this.app.may('manage');
    return html`${roleNote(this.app, 'manage')}
      ${sections.map(section => this.#section(section, account, may))}`;
  }

  #section(section: Section, account: Account, may: boolean): TemplateResult {
    const refusal = this.refused?.section === section ? this.refused.error : null;
    const errors = fieldErrors(refusal);
    const isElsewhere = refusal !== null && !section.settings.some(({ name }) => errorOf(errors, name));
    const isBusy = this.saving === section;
    return html`<form class="card" novalidate aria-label=${section.heading} @submit=${(event: SubmitEvent) => this.#save(event, section)}>
      <div><h2>${section.heading}</h2><p class="hint">${section.text}</p></div>
      ${section.notes?.(account) ?? nothing}
      <fieldset class="grid" ?disabled=${!may || isBusy}>
        ${section.settings.map(({ read, ...field }) => formField({ ...field, value: read(account), error: errorOf(errors, field.name) }))}
      </fieldset>
      ${isElsewhere ? errorNote(refusal) : nothing}
      ${may ? html`<div class="actions"><button class="main" type="submit" ?disabled=${isBusy}>${isBusy ? 'Saving …' : 'Save'}</button></div>` : nothing}
    </form>`;
  }
}

/** The message of a field. An entry of a list has a name like `allowed_origins[2]`. */
const errorOf = (errors: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(errors).find(([param]) => param === name || param.startsWith(`${name}[`))?.[1];

customElements.define('pay-settings-page', SettingsPage);
