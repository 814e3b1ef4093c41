import { css, html, nothing, type TemplateResult } from 'lit';
import type { Event } from '../../api/event.ts';
import { DashboardElement } from '../app/dashboard-page.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import { icon } from '../controls/icons.ts';
import { errorNote, skeleton } from '../controls/states.ts';
import { allowDesktopNotices, desktopNotices } from './announcements.ts';

/** Maximum number of events in the history. */
const most = 30;
/** Maximum number of events that are read to count those that are new. */
const mostNew = 100;
/** Number of events read at the first visit. The newest may have arrived by the stream while they were read. */
const mostUnheard = 10;
/** The stored time while the merchant has no events. */
const beginning = '1970-01-01T00:00:00.000Z';

/**
 * `<pay-bell>`: the history of events, and the number of important events since the person last opened it. That time is
 * kept in this browser, so the number survives a reload, counts events of the meantime, and is the same in each tab.
 */
class Bell extends DashboardElement {
  static override readonly properties = {
    unread: { state: true },
    hasMore: { state: true },
    events: { state: true },
    error: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      .bell {
        position: relative;
      }
      .count {
        position: absolute;
        inset-block-start: 4px;
        inset-inline-end: 4px;
        min-inline-size: 18px;
        padding-inline: 4px;
        border-radius: 9px;
        background: var(--bad);
        color: var(--card);
        font-size: 0.733rem;
        font-weight: 650;
        line-height: 18px;
        text-align: center;
      }
      [popover] {
        inset: 64px 16px auto auto;
        inline-size: min(24rem, 100vw - 32px);
        max-block-size: min(36rem, 100dvh - 88px);
        padding: 16px;
      }
      li {
        position: relative;
        padding-block: 10px;
        border-block-start: 1px solid var(--line);
      }
      .line {
        display: flex;
        gap: 12px;
        align-items: baseline;
        justify-content: space-between;
      }
      .line a {
        color: inherit;
        font-weight: 550;
        text-decoration: none;
      }
      .line a::after {
        position: absolute;
        inset: 0;
        content: "";
      }
      .line pay-ago {
        flex: none;
        color: var(--ink3);
        font-size: 0.867rem;
      }
    `,
  ];

  /** The creation times of the new important events, by id. */
  declare unread: ReadonlyMap<string, string>;
  /** Whether there are more new events than were counted. */
  declare hasMore: boolean;
  /** The history. Null until it was loaded, which begins when the person first opens it. */
  declare events: readonly Event[] | null;
  declare error: unknown;

  constructor() {
    super();
    this.unread = new Map();
    this.hasMore = false;
    this.events = null;
    this.error = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('storage', this.#readElsewhere);
    this.follow({}, event => {
      if (this.#isOpen) this.#markRead([event]);
      else this.#count([event]);
      if (this.events !== null)
        this.events = [event, ...this.events.filter(({ id }) => id !== event.id)].slice(0, most);
    });
    // After a failure, the number counts only later events. The history loads the events again when it is opened.
    void this.#countMissed().catch(() => undefined);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('storage', this.#readElsewhere);
  }

  /** The storage key of the time up to which the person has read this merchant's events in this mode. */
  get #key(): string {
    const { session } = this.app;
    return `pay-dashboard.read.${session?.merchant.id}.${session?.livemode}`;
  }

  get #read(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      // Storage may be blocked. The bell then counts from the opening of the page.
      return null;
    }
  }

  /** Counts the important events since the last reading. The first visit counts nothing that was there before. */
  async #countMissed(): Promise<void> {
    const read = this.#read;
    const { events } = this.app.client;
    if (read === null) {
      const { data } = await events.list({ limit: mostUnheard });
      const earlier = data.filter(({ id }) => !this.unread.has(id));
      if (data.length === 0 || earlier.length > 0) this.#markRead(earlier);
      return;
    }
    const { data, has_more } = await events.list({ limit: mostNew, created_at: { gt: read } });
    if (read !== this.#read) return;
    this.#count(data);
    this.hasMore = has_more;
  }

  #count(events: readonly Event[]): void {
    const loud = events.filter(event => this.app.eventWords(event).isLoud);
    this.unread = new Map([...this.unread, ...loud.map(each => [each.id, each.created_at] as const)]);
  }

  /** Stores that the person has read these events and all before them. */
  #markRead(events: readonly Event[]): void {
    const times = [this.#read ?? beginning, ...events.map(each => each.created_at)];
    try {
      localStorage.setItem(this.#key, times.sort().at(-1) ?? beginning);
    } catch {
      // Without storage, the next page counts from its opening.
    }
  }

  /** Another tab has stored what the person has read. */
  readonly #readElsewhere = ({ key, newValue: read }: StorageEvent): void => {
    if (key !== this.#key || read === null) return;
    this.unread = new Map([...this.unread].filter(([, at]) => at > read));
    this.hasMore = false;
  };

  get #isOpen(): boolean {
    return this.renderRoot?.querySelector('[popover]')?.matches(':popover-open') === true;
  }

  async #load(): Promise<void> {
    this.error = null;
    try {
      const { data } = await this.app.client.events.list({ limit: most });
      this.events = data;
      this.#markRead(data);
    } catch (error) {
      this.error = error;
    }
  }

  #toggled({ newState }: ToggleEvent): void {
    if (newState !== 'open') return;
    this.unread = new Map();
    this.hasMore = false;
    void this.#load();
  }

  override render(): TemplateResult {
    const count = this.unread.size === 0 ? '' : `${this.unread.size}${this.hasMore ? '+' : ''}`;
    const name = count === '' ? 'Notifications' : `Notifications, ${count} new`;
    return html`<button class="icon-button bell" type="button" aria-label=${name} popovertarget="history">
        ${icon('bell')}${count === '' ? nothing : html`<span class="count">${count}</span>`}
      </button>
      <div id="history" popover role="region" aria-label="Notifications" @toggle=${this.#toggled} @click=${this.#pressed}>
        <div class="card-head"><h2>What happened</h2>${this.#offer()}</div>
        ${this.#list()}
      </div>`;
  }

  #list(): TemplateResult {
    if (this.error !== null) return errorNote(this.error, () => void this.#load());
    if (this.events === null) return skeleton(3);
    if (this.events.length === 0)
      return html`<p class="hint">Nothing yet. Payments, refunds and payouts appear here.</p>`;
    return html`<ul>${this.events.map(event => {
      const { title, text, path } = this.app.eventWords(event);
      return html`<li>
        <div class="line">
          ${path === null ? html`<span>${title}</span>` : html`<a href=${pathTo(path)}>${title}</a>`}${agoText(event.created_at)}
        </div>
        ${text === '' ? nothing : html`<div class="second-line">${text}</div>`}
      </li>`;
    })}</ul>`;
  }

  /** A button that asks for desktop notifications. After the person has decided, a sentence replaces the button. */
  #offer(): TemplateResult {
    const permission = desktopNotices();
    if (permission !== 'default') return html`<p class="hint">${decided[permission]}</p>`;
    const ask = async () => {
      await allowDesktopNotices();
      this.requestUpdate();
    };
    return html`<button class="plain" type="button" @click=${ask}>Notify me on this computer</button>`;
  }

  #pressed(event: globalThis.Event): void {
    const isLink = event.composedPath().some(target => target instanceof HTMLAnchorElement);
    if (isLink) (event.currentTarget as HTMLElement).hidePopover();
  }
}

const decided = {
  granted: 'While this page is in the background, this computer notifies you.',
  denied: 'Your browser blocks notifications of this page. Allow them in its settings for this site.',
  unsupported: 'This browser has no desktop notifications.',
} as const;

customElements.define('pay-bell', Bell);
