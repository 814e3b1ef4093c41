import { html, nothing, type TemplateResult } from 'lit';
import type { WebhookEndpoint } from '../../api/event.ts';
import type { ApiKey } from '../../api/merchant.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { type Action, ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { icon } from '../controls/icons.ts';
import { emptyState, roleNote } from '../controls/states.ts';
import { createKeyAction, endpointAction, revokeKeyAction, rightsWords } from './developer-actions.ts';
import { type ShownSecret, shownSecret } from './shown-secret.ts';
import { endpointChip } from './webhook-words.ts';
import '../controls/data-table.ts';

const keyName = ({ name, type }: ApiKey): string => name ?? (type === 'secret' ? 'Secret key' : 'Publishable key');

/** Keys and webhook endpoints. */
class DevelopersPage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    secret: { state: true },
  };

  declare secret: ShownSecret | null;

  readonly #keys = new PagedRows<ApiKey>(this, (page, options) =>
    this.app.may('develop') ? this.app.client.apiKeys.list(page, options) : null,
  );
  readonly #endpoints = new PagedRows<WebhookEndpoint>(this, (page, options) =>
    this.app.may('develop') ? this.app.client.webhookEndpoints.list(page, options) : null,
  );

  readonly #keyColumns: readonly Column<ApiKey>[] = [
    {
      label: 'Name',
      share: 1.4,
      cell: keyName,
    },
    { label: 'Key', share: 1.6, cell: ({ hint }) => html`<span class="mono">${hint}</span>` },
    {
      label: 'May do',
      share: 1.4,
      cell: ({ type, scopes }) => (type === 'secret' ? rightsWords(this.app, scopes) : 'Take payments'),
    },
    { label: 'Created', share: 0.9, align: 'end', cell: ({ created_at: time }) => agoText(time) },
    { label: 'Action', share: 0.9, align: 'end', inCard: 'value', cell: key => this.#revokeButton(key) },
  ];

  constructor() {
    super();
    this.secret = null;
  }

  override ask(action: Action): void {
    this.secret = null;
    super.ask(action);
  }

  #revokeButton(key: ApiKey): TemplateResult {
    const act = () =>
      this.ask(
        revokeKeyAction(this.app.client, key, () => {
          this.#keys.remove(key.id);
          this.app.toast({ text: 'Key revoked', tone: 'good' });
        }),
      );
    return html`<button class="plain" type="button" aria-label=${`Revoke ${keyName(key)} ${key.hint}`} @click=${act}>Revoke</button>`;
  }

  readonly #newKey = (): void =>
    this.ask(
      createKeyAction(this.app, key => {
        this.secret = { name: `${key.type} key`, text: key.key ?? '' };
        this.#keys.add(key);
      }),
    );

  readonly #newEndpoint = (): void =>
    this.ask(
      endpointAction(this.app.client, null, endpoint => {
        this.secret = { name: 'signing secret', text: endpoint.secret ?? '' };
        this.#endpoints.add(endpoint);
      }),
    );

  override render(): TemplateResult {
    const may = this.app.may('develop');
    return html`${pageFrame({
      title: 'Developers',
      actions: html`${may ? forDevelopers : nothing}
        <a class="second" href=${pathTo('/developers/events')}>Events</a>
        <a class="second" href="/docs">${icon('external')} Docs</a>`,
      body: may
        ? html`${shownSecret(this.secret)} ${this.#keysCard()} ${this.#endpointsCard()}`
        : html`${roleNote(this.app, 'develop')}`,
    })}
    ${actionDialog(this)}`;
  }

  #keysCard(): TemplateResult {
    return html`<section class="card" aria-labelledby="keys">
      <div class="card-head">
        <h2 id="keys">API keys</h2>
        <button class="second" type="button" @click=${this.#newKey}>${icon('add')} New key</button>
      </div>
      <pay-data-table label="API keys" .columns=${this.#keyColumns} .rows=${this.#keys}>
        <div slot="empty">${emptyState('No keys', 'A key lets your server or your page call the API.')}</div>
      </pay-data-table>
    </section>`;
  }

  #endpointsCard(): TemplateResult {
    return html`<section class="card" aria-labelledby="endpoints">
      <div class="card-head">
        <h2 id="endpoints">Webhook endpoints</h2>
        <button class="second" type="button" @click=${this.#newEndpoint}>${icon('add')} New endpoint</button>
      </div>
      <pay-data-table label="Webhook endpoints" .columns=${endpointColumns} .rows=${this.#endpoints}
        .href=${({ id }: WebhookEndpoint) => pathTo(`/developers/webhooks/${id}`)}>
        <div slot="empty">${noEndpoints}</div>
      </pay-data-table>
    </section>`;
  }
}

const forDevelopers = html`<a class="second" href=${pathTo('/developers/explorer')}>API explorer</a>
  <a class="second" href=${pathTo('/developers/requests')}>Request log</a>`;

const endpointColumns: readonly Column<WebhookEndpoint>[] = [
  { label: 'Address', share: 2.4, cell: ({ url }) => url },
  { label: 'Events', share: 1.4, cell: ({ events }) => (events.includes('*') ? 'All' : events.join(', ')) },
  { label: 'State', share: 0.8, inCard: 'value', cell: endpointChip },
  { label: 'Created', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];

const noEndpoints = emptyState(
  'No endpoints yet',
  html`The service calls your address when something happens. On your own machine
    <span class="mono">npx pay-checkout listen</span> forwards events.`,
);

customElements.define('pay-developers-page', DevelopersPage);
