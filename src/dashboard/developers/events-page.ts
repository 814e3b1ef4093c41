import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Event, EventType } from '../../api/event.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { jsonStyles, rawJson } from '../app/json-text.ts';
import { PagedRows } from '../app/paged-rows.ts';
import { agoText } from '../controls/ago-text.ts';
import { copyButton } from '../controls/copy-button.ts';
import type { Column } from '../controls/data-table.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../controls/filters-bar.ts';
import { emptyState, errorNote } from '../controls/states.ts';
import { timeText } from '../controls/values.ts';
import '../controls/data-table.ts';
import '../controls/dialog.ts';

type Family<T> = T extends `${infer F}.${string}` ? F : never;

/** The beginnings of all event types. The compiler refuses a list that lacks one. */
const families: Readonly<Record<Family<EventType>, true>> = {
  payment: true,
  refund: true,
  dispute: true,
  payment_link: true,
  invoice: true,
  credit_note: true,
  transfer: true,
  top_up: true,
  withdrawal: true,
  conversion: true,
  payout: true,
  payout_batch: true,
  settlement: true,
  treasury: true,
  approval: true,
  kyc: true,
  ramp: true,
};
const filters: readonly Filter[] = [
  {
    name: 'type',
    label: 'Of',
    kind: 'choice',
    options: Object.keys(families).map(name => [`${name}.*`, `${name}.*`] as const),
  },
];

/** All events of the merchant as they happen, each with its content. */
class EventsPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    opened: { state: true },
    error: { state: true },
  };
  static override readonly styles = [
    DashboardPage.styles,
    filterStyles,
    jsonStyles,
    css`
      .type {
        padding: 0;
        color: var(--accent);
        text-align: start;
      }
    `,
  ];

  declare opened: Event | null;
  declare error: unknown;

  readonly #rows = new PagedRows<Event>(this, (page, options) =>
    this.app.client.events.list({ ...filtersIn(this.query, ['type']), ...page }, options),
  );

  readonly #columns: readonly Column<Event>[] = [
    { label: 'Type', share: 1.5, cell: event => this.#openButton(event) },
    { label: 'What', share: 2, cell: event => this.app.eventWords(event).text },
    { label: 'Number', share: 0.6, align: 'end', inCard: 'hidden', cell: ({ sequence }) => sequence },
    { label: 'When', share: 0.8, align: 'end', inCard: 'value', cell: ({ created_at: time }) => agoText(time) },
  ];

  constructor() {
    super();
    this.opened = null;
    this.error = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({}, event => {
      const family = this.query.get('type')?.replace('*', '');
      if (family === undefined || event.type.startsWith(family)) this.#rows.add(event);
    });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('query')) void this.#openNamed();
  }

  /** Opens the event that the URL's parameter `event` names. The command palette links to events this way. */
  async #openNamed(): Promise<void> {
    const id = this.query.get('event');
    if (id === null || id === this.opened?.id) return;
    this.error = null;
    try {
      this.opened = await this.app.client.events.retrieve(id);
    } catch (error) {
      this.error = error;
    }
  }

  #openButton(event: Event): TemplateResult {
    return html`<button class="type mono" type="button" aria-label=${`${event.type} ${event.id}`} @click=${() => {
      this.error = null;
      this.opened = event;
    }}>${event.type}</button>`;
  }

  readonly #resend = async (): Promise<void> => {
    this.error = null;
    try {
      await this.app.client.events.redeliver(this.opened?.id ?? '');
      this.app.toast({ text: 'The event is sent again', tone: 'good' });
      this.opened = null;
    } catch (error) {
      this.error = error;
    }
  };

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Developers', path: '/developers' },
      title: 'Events',
      body: html`
        ${this.opened === null && this.error !== null ? errorNote(this.error) : nothing}
        ${filtersBar({ page: this, path: '/developers/events', filters })}
        <section class="card" aria-label="Events">
          <pay-data-table label="Events" .columns=${this.#columns} .rows=${this.#rows}>
            <div slot="empty">${emptyState('No events', 'Each change of a payment, link or invoice is listed here.')}</div>
          </pay-data-table>
        </section>
        ${this.#content()}`,
    });
  }

  #content(): TemplateResult {
    const event = this.opened;
    const close = () => {
      this.opened = null;
      if (this.query.has('event')) this.app.go('/developers/events', { replace: true });
    };
    return html`<pay-dialog wide heading=${event?.type ?? ''} ?open=${event !== null} @close=${close}>
      ${
        event === null
          ? nothing
          : html`<p>${timeText(event.created_at, 'full')} · <span class="mono">${event.id}</span> ${copyButton(event.id, 'event id')}</p>
              ${this.error === null ? nothing : errorNote(this.error)} ${rawJson(event)}`
      }
      <button slot="buttons" class="second" type="button" @click=${close}>Close</button>
      ${
        this.app.may('develop')
          ? html`<button slot="buttons" class="main" type="button" @click=${this.#resend}>Send to endpoints again</button>`
          : nothing
      }
    </pay-dialog>`;
  }
}

customElements.define('pay-events-page', EventsPage);
