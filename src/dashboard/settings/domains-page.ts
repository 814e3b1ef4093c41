import { html, nothing, type TemplateResult } from 'lit';
import type { Domain } from '../../api/dashboard/domain.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState, errorNote, note, roleNote } from '../controls/states.ts';
import { chip, type StateTable, statusChip } from '../controls/status-chip.ts';
import { timeText } from '../controls/values.ts';
import { addDomainAction, removeDomainAction } from './domain-actions.ts';

const states: StateTable = {
  pending: ['Waits for DNS', 'busy'],
  active: ['Active', 'good'],
  failed: ['Failed', 'bad'],
};

/** The host names under which payers see the merchant's pages. */
class DomainsPage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    checking: { state: true },
    refused: { state: true },
  };

  /** The id of the domain that is being checked. */
  declare checking: string | null;
  /** The last error of a check, and the domain that it belongs to. */
  declare refused: { readonly id: string; readonly error: unknown } | null;

  readonly #domains = new Loaded<readonly Domain[]>(this, async signal => {
    const { data } = await this.app.client.domains.list({ limit: 100 }, { signal });
    return data;
  });

  /** Whether names below `.localhost` need no records. False until the service has answered. */
  readonly #isSandbox = new Loaded<boolean>(this, async signal => {
    const { network } = await this.app.client.capabilities.retrieve({ signal });
    return network === 'sandbox';
  });

  constructor() {
    super();
    Object.assign(this, { checking: null, refused: null });
  }

  async #check({ id, name }: Domain): Promise<void> {
    if (this.checking !== null) return;
    Object.assign(this, { checking: id, refused: null });
    try {
      const { status } = await this.app.client.domains.verify(id);
      await this.#domains.reload();
      if (status === 'active') this.app.toast({ text: `${name} is active`, tone: 'good' });
    } catch (error) {
      this.refused = { id, error };
    }
    this.checking = null;
  }

  readonly #add = (): void => {
    const added = ({ name }: Domain) => this.#changed(`${name} is added`);
    this.ask(addDomainAction(this.app.client, () => this.#isSandbox.value === true, added));
  };

  #remove(domain: Domain, all: readonly Domain[]): void {
    const next = all.find(({ id, status }) => id !== domain.id && status === 'active')?.url ?? location.origin;
    const removed = () => this.#changed(`${domain.name} is removed`);
    this.ask(removeDomainAction(this.app.client, domain, next, removed));
  }

  #changed(text: string): void {
    this.app.toast({ text, tone: 'good' });
    void this.#domains.reload();
  }

  override render(): TemplateResult {
    const may = this.app.may('manage');
    const hasSome = (this.#domains.value ?? []).length > 0;
    return html`${pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Domains',
      subtitle: 'Checkout, links and invoices at an address of yours.',
      actions: may && hasSome ? this.#addButton() : nothing,
      body: html`${roleNote(this.app, 'manage')}
        ${this.#domains.render(domains => (domains.length === 0 ? this.#empty(may) : this.#list(domains, may)))}`,
    })}
    ${actionDialog(this)}`;
  }

  #addButton(): TemplateResult {
    return html`<button class="main" type="button" @click=${this.#add}>Add a domain</button>`;
  }

  #empty(may: boolean): TemplateResult {
    const text = `Payers now see ${location.host}. With a domain of yours, they see its name instead: pay.shop.example.`;
    return html`<section class="card">${emptyState('No domain yet', text, may ? this.#addButton() : nothing)}</section>`;
  }

  #list(domains: readonly Domain[], may: boolean): TemplateResult {
    return html`${domains.map(domain => this.#card(domain, domains, may))}`;
  }

  #card(domain: Domain, all: readonly Domain[], may: boolean): TemplateResult {
    const { id, name, status, primary, failure, verified_at: verified, checked_at: checked } = domain;
    const heading = `domain-${id}`;
    return html`<section class="card" aria-labelledby=${heading}>
      <div class="card-head">
        <h2 id=${heading}>${name}</h2>
        <span>${statusChip(status, states)} ${primary && all.length > 1 ? chip('New addresses') : nothing}</span>
      </div>
      ${failure === null ? nothing : note(failure.message, status === 'pending' ? '' : 'warn', 'status')}
      ${this.refused?.id === id ? errorNote(this.refused.error) : nothing}
      ${verified === null ? nothing : html`<p class="hint">Records first found ${timeText(verified)}</p>`}
      ${checked === null ? nothing : html`<p class="hint">Last check ${timeText(checked)}</p>`}
      ${records(domain)}
      ${may ? this.#buttons(domain, all) : nothing}
    </section>`;
  }

  #buttons(domain: Domain, all: readonly Domain[]): TemplateResult {
    const isBusy = this.checking === domain.id;
    return html`<div class="actions">
      <button class="second" type="button" aria-label=${`Remove ${domain.name}`} @click=${() => this.#remove(domain, all)}>Remove</button>
      <button class=${domain.status === 'active' ? 'second' : 'main'} type="button" ?disabled=${this.checking !== null}
        aria-label=${`Check ${domain.name} now`} @click=${() => void this.#check(domain)}>${isBusy ? 'Checking …' : 'Check now'}</button>
    </div>`;
  }
}

/** The DNS records to copy. The records of an active domain are folded. */
function records({ name, status, dns_records: wanted }: Domain): TemplateResult {
  const list = wanted.map(
    ({ type, name: label, value }) => html`<h3>${type} record</h3>
      ${keyValues([
        {
          label: 'Name',
          value: html`<span class="mono">${label}</span>`,
          copy: label,
          name: `${type} name of ${name}`,
        },
        {
          label: 'Value',
          value: html`<span class="mono">${value}</span>`,
          copy: value,
          name: `${type} value of ${name}`,
        },
      ])}`,
  );
  if (status === 'active') {
    return html`<details><summary>DNS records of ${name}</summary>
      <p class="hint">Keep both. We check them daily.</p>
      ${list}
    </details>`;
  }
  return html`<p class="hint">Create both records at your DNS provider and keep them. We look for them for seven days.
      Changes may take some hours to spread.</p>
    ${list}`;
}

customElements.define('pay-domains-page', DomainsPage);
