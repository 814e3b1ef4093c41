import { html, nothing, type TemplateResult } from 'lit';
import type { DeliveryAttempt, DeliveryDetails } from '../../api/event.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { codeBlock, jsonStyles } from '../app/json-text.ts';
import { Loaded } from '../app/loaded.ts';
import { Soon } from '../app/soon.ts';
import { copyButton } from '../controls/copy-button.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState, errorNote } from '../controls/states.ts';
import { type Moment, timeline, timelineStyles } from '../controls/timeline.ts';
import { timeText } from '../controls/values.ts';
import { answerWords, deliveryChip, isUnsent, resendPauseMs } from './webhook-words.ts';

/** One delivery: the sent content, and the result of each attempt. */
class DeliveryPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, timelineStyles, jsonStyles];
  static override readonly properties = { ...DashboardPage.properties, error: { state: true } };

  /** The error of the last resending. */
  declare error: unknown;

  readonly #delivery = new Loaded<DeliveryDetails>(this, async signal => {
    const { id = '', delivery = '' } = this.params;
    const details = await this.app.client.webhookEndpoints.delivery(id, delivery, { signal });
    if (isUnsent(details)) this.#soon.ask();
    return details;
  });
  readonly #soon = new Soon(this, () => this.#delivery.reload(), resendPauseMs);

  constructor() {
    super();
    this.error = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({}, () => {
      if (this.#delivery.value?.status === 'pending') this.#soon.ask();
    });
  }

  readonly #resend = async (): Promise<void> => {
    const delivery = this.#delivery.value;
    if (delivery === null) return;
    this.error = null;
    try {
      await this.app.client.events.redeliver(delivery.event, { endpoint: delivery.endpoint });
      this.app.toast({ text: 'The event is sent again, as a new delivery', tone: 'good' });
      this.app.go(`/developers/webhooks/${delivery.endpoint}`);
    } catch (error) {
      this.error = error;
    }
  };

  override render(): TemplateResult {
    const delivery = this.#delivery.value;
    const button = (label: string, act: () => unknown) =>
      html`<button class="second" type="button" @click=${act}>${label}</button>`;
    return pageFrame({
      above: { label: 'Webhook endpoint', path: `/developers/webhooks/${this.params['id']}` },
      title: delivery?.event_type ?? 'Delivery',
      subtitle: delivery === null ? '' : deliveryChip(delivery),
      actions: html`${button('Reload', () => void this.#delivery.reload())}
        ${this.app.may('develop') ? button('Send again', this.#resend) : nothing}`,
      body: html`${this.error === null ? nothing : errorNote(this.error)}
        ${this.#delivery.render(value => content(value))}`,
    });
  }
}

function content(delivery: DeliveryDetails): TemplateResult {
  const { attempt_log: attempts, request, event, id, next_attempt_at: next } = delivery;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return html`
    <section class="card" aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      ${
        attempts.length === 0
          ? emptyState('No attempt yet', 'Each attempt is listed with its status, time and answer.')
          : timeline(attempts.map(momentOf).toReversed())
      }
      ${next === null ? nothing : html`<p class="hint">Next attempt: ${timeText(next)}</p>`}
    </section>
    <section class="card" aria-labelledby="request">
      <div class="card-head"><h2 id="request">Request</h2>${request.body === null ? nothing : copyButton(request.body, 'body')}</div>
      ${codeBlock('Headers of the last attempt', headers.join('\n'))}
      <p class="hint">Each attempt has its own <span class="mono">webhook-signature</span>, which is not kept.</p>
      ${
        request.body === null
          ? html`<p>The event is no longer kept.</p>`
          : codeBlock('Body of the request', JSON.stringify(JSON.parse(request.body), null, 2))
      }
    </section>
    <section class="card" aria-label="Delivery">
      ${keyValues([
        { label: 'Event', value: html`<span class="mono">${event}</span>`, copy: event },
        { label: 'Delivery', value: html`<span class="mono">${id}</span>`, copy: id },
      ])}
    </section>`;
}

function momentOf({ number, at, duration_ms: ms, ...attempt }: DeliveryAttempt): Moment {
  const { response_status: status, error, response_body: body } = attempt;
  return {
    at,
    title: `Attempt ${number}`,
    tone: error === null ? 'good' : 'bad',
    text: html`${error === null ? `${status}: accepted` : answerWords({ response_status: status, last_error: error })}, after ${ms} ms`,
    ...(body && { more: codeBlock(`Answer to attempt ${number}`, body) }),
  };
}

customElements.define('pay-delivery-page', DeliveryPage);
