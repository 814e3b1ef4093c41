import { html, nothing, type TemplateResult } from 'lit';
import type { Delivery, WebhookEndpoint } from '../../api/event.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import { pathTo } from '../app/router.ts';
import { Soon } from '../app/soon.ts';
import { type Action, ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import type { Column } from '../controls/data-table.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState, errorNote, note } from '../controls/states.ts';
import { timeText } from '../controls/values.ts';
import { deleteEndpointAction, endpointAction, rotateAction } from './developer-actions.ts';
import { type ShownSecret, shownSecret } from './shown-secret.ts';
import { answerWords, deliveryChip, endpointChip, isUnsent, resendPauseMs } from './webhook-words.ts';
import '../controls/data-table.ts';

/** One endpoint: its deliveries, newest first, and its actions. */
class WebhookPage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    secret: { state: true },
    error: { state: true },
  };

  declare secret: ShownSecret | null;
  declare error: unknown;

  readonly #endpoint = new Loaded(this, signal => this.app.client.webhookEndpoints.retrieve(this.#id, { signal }));
  readonly #deliveries = new PagedRows<Delivery>(this, async (page, options) => {
    const deliveries = await this.app.client.webhookEndpoints.deliveries(this.#id, page, options);
    if (deliveries.data.some(isUnsent)) this.#soon.ask();
    return deliveries;
  });
  /** Each event makes a delivery, and no event tells its result, so the page reads the first rows again. */
  readonly #soon = new Soon(
    this,
    async () => {
      if (this.#deliveries.count <= pageSize) await this.#deliveries.reload();
    },
    resendPauseMs,
  );

  readonly #columns: readonly Column<Delivery>[] = [
    {
      label: 'Event',
      share: 1.6,
      cell: ({ event_type: type, event, endpoint, id }) =>
        html`<a href=${pathTo(`/developers/webhooks/${endpoint}/deliveries/${id}`)}>${type}</a><div class="second-line mono">${event}</div>`,
    },
    { label: 'State', share: 0.9, inCard: 'value', cell: deliveryChip },
    { label: 'Answer', share: 1.2, cell: answerWords },
    { label: 'Attempts', share: 0.7, align: 'end', cell: ({ attempts }) => attempts },
    {
      label: 'Next',
      share: 1.3,
      align: 'end',
      cell: ({ next_attempt_at: next }) => (next === null ? nothing : timeText(next)),
    },
    { label: 'Created', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
    { label: 'Action', share: 0.9, align: 'end', cell: delivery => this.#resendButton(delivery) },
  ];

  constructor() {
    super();
    Object.assign(this, { secret: null, error: null });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({}, () => this.#soon.ask());
  }

  get #id(): string {
    return this.params['id'] ?? '';
  }

  /** Runs the call of a button. Shows a toast or the error, and then reads the deliveries again. */
  async #call(run: () => Promise<unknown>, sentence: string): Promise<void> {
    this.error = null;
    try {
      await run();
      this.app.toast({ text: sentence, tone: 'good' });
    } catch (error) {
      this.error = error;
    }
    await this.#deliveries.reload();
  }

  #resendButton({ id, event, event_type: type }: Delivery): TemplateResult {
    const resend = () =>
      this.#call(() => this.app.client.events.redeliver(event, { endpoint: this.#id }), 'The event is sent again');
    return html`<button class="plain" type="button" aria-label=${`Send again ${type} ${id}`} @click=${resend}>Send again</button>`;
  }

  readonly #saved = (endpoint: WebhookEndpoint): void => {
    this.#endpoint.set(endpoint);
    this.secret = endpoint.secret === undefined ? null : { name: 'signing secret', text: endpoint.secret };
    this.app.toast({ text: 'Saved', tone: 'good' });
  };

  override render(): TemplateResult {
    const endpoint = this.#endpoint.value;
    return html`${pageFrame({
      above: { label: 'Developers', path: '/developers' },
      title: 'Webhook endpoint',
      subtitle: endpoint === null ? '' : html`${endpointChip(endpoint)} <span class="mono">${endpoint.url}</span>`,
      actions: endpoint === null || !this.app.may('develop') ? nothing : this.#actions(endpoint),
      body: html`${this.error === null ? nothing : errorNote(this.error)} ${shownSecret(this.secret)}
        ${this.#endpoint.render(value => this.#body(value))}`,
    })}
    ${actionDialog(this)}`;
  }

  #actions(endpoint: WebhookEndpoint): TemplateResult {
    const { client } = this.app;
    const isOn = endpoint.status === 'enabled';
    const button = (label: string, act: () => unknown, style = 'second') =>
      html`<button class=${style} type="button" @click=${act}>${label}</button>`;
    const ask = (action: Action) => () => this.ask(action);
    const turn = async () => {
      const changed = await client.webhookEndpoints.update(endpoint.id, { status: isOn ? 'disabled' : 'enabled' });
      this.#endpoint.set(changed);
    };
    const gone = () => {
      this.app.toast({ text: 'Endpoint deleted', tone: 'good' });
      this.app.go('/developers');
    };
    return html`
      ${button(isOn ? 'Turn off' : 'Turn on', () => this.#call(turn, isOn ? 'The endpoint is off' : 'The endpoint is on'))}
      ${button('Edit', ask(endpointAction(client, endpoint, this.#saved)))}
      ${button('New secret', ask(rotateAction(client, endpoint, this.#saved)))}
      ${button('Delete', ask(deleteEndpointAction(client, endpoint, gone)))}
      ${isOn ? button('Send a test', () => this.#call(() => client.webhookEndpoints.test(endpoint.id), 'A sample event is sent'), 'main') : nothing}`;
  }

  #body(endpoint: WebhookEndpoint): TemplateResult {
    return html`
      ${endpoint.disabled_reason === null ? nothing : note(html`<strong>The service no longer calls this address.</strong> Mend it, then turn it on.`, 'warn')}
      <section class="card" aria-labelledby="deliveries">
        <div class="card-head">
          <h2 id="deliveries">Deliveries</h2>
          <button class="plain" type="button" @click=${() => void this.#deliveries.reload()}>Reload</button>
        </div>
        <pay-data-table label="Deliveries" .columns=${this.#columns} .rows=${this.#deliveries}>
          <div slot="empty">${emptyState('Nothing sent yet', 'Send a test, or take a payment.')}</div>
        </pay-data-table>
      </section>
      <section class="card" aria-label="Endpoint">
        ${keyValues([
          { label: 'Address', value: endpoint.url, copy: endpoint.url },
          { label: 'Events', value: endpoint.events.includes('*') ? 'All' : endpoint.events.join(', ') },
          { label: 'Description', value: endpoint.description },
          { label: 'Created', value: timeText(endpoint.created_at) },
          { label: 'Id', value: html`<span class="mono">${endpoint.id}</span>`, copy: endpoint.id },
        ])}
      </section>`;
  }
}

customElements.define('pay-webhook-page', WebhookPage);
