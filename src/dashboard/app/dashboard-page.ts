import { ContextConsumer } from '@lit/context';
import { type CSSResultGroup, html, LitElement, nothing, type TemplateResult } from 'lit';
import { controlStyles } from '../controls/styles.ts';
import { type DashboardContext, dashboardContext } from './dashboard-context.ts';
import type { EventFilter } from './live-events.ts';
import { pathTo } from './router.ts';

/** An element with access to the frame. `static styles` of a subclass must begin with `DashboardElement.styles`. */
export abstract class DashboardElement extends LitElement {
  static override styles: CSSResultGroup = [controlStyles];

  readonly #context = new ContextConsumer(this, { context: dashboardContext });

  /** The frame. Available after the element was added to the page. */
  get app(): DashboardContext {
    const { value } = this.#context;
    if (value === undefined) throw new Error(`<${this.localName}> is not inside <pay-dashboard>`);
    return value;
  }

  #ended = new AbortController();

  /** Calls `listener` for the events of the filter until the element is removed. Call this in `connectedCallback`. */
  protected follow(filter: EventFilter, listener: Parameters<DashboardContext['live']['follow']>[1]): void {
    if (this.#ended.signal.aborted) this.#ended = new AbortController();
    this.#ended.signal.addEventListener('abort', this.app.live.follow(filter, listener));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#ended.abort();
  }
}

/** The base class of all pages. The frame sets `params` and `query` from the URL, and `query` again when it changes. */
export abstract class DashboardPage extends DashboardElement {
  static override properties = { params: { attribute: false }, query: { attribute: false } };

  /** The values in the path, for example `{ id }` for `/payments/:id`. */
  declare params: Readonly<Record<string, string>>;
  declare query: URLSearchParams;

  constructor() {
    super();
    this.params = {};
    this.query = new URLSearchParams();
  }
}

/** The parts of a page. */
interface PageFrame {
  readonly title: TemplateResult | string;
  /** The parent page, shown as a link above the title. */
  readonly above?: { readonly label: string; readonly path: string };
  /** One line below the title. */
  readonly subtitle?: TemplateResult | string;
  /** The page's actions, as buttons or links. */
  readonly actions?: TemplateResult | typeof nothing;
  readonly body: TemplateResult;
}

/** The frame of a page: title, actions, content. */
export function pageFrame({ title, above, subtitle, actions, body }: PageFrame): TemplateResult {
  const way = above && html`<p class="above"><a href=${pathTo(above.path)}>${above.label}</a></p>`;
  return html`<header class="head">
      <div class="titles">
        ${way ?? nothing}
        <h1 tabindex="-1">${title}</h1>
        ${subtitle === undefined ? nothing : html`<p class="subtitle">${subtitle}</p>`}
      </div>
      ${actions === undefined || actions === nothing ? nothing : html`<div class="actions">${actions}</div>`}
    </header>
    <div class="body">${body}</div>`;
}
