import { css, html, nothing, type TemplateResult } from 'lit';
import { DashboardElement } from '../app/dashboard-page.ts';
import { pathTo } from '../app/router.ts';
import { formField } from './form-field.ts';
import './dialog.ts';

/** A named view: a filtered list. */
interface View {
  readonly name: string;
  /** The query of the page's URL. */
  readonly query: string;
}

const most = 20;
const longestName = 40;

/** `<pay-saved-views path .query>`: links to the views of a list that the person has saved in this browser. */
class SavedViews extends DashboardElement {
  static override readonly properties = {
    path: {},
    query: { attribute: false },
    views: { state: true },
    isNaming: { state: true },
    name: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      :host {
        max-inline-size: 100%;
      }
      nav {
        display: flex;
        gap: 4px;
        align-items: center;
        overflow-x: auto;
      }
      a {
        flex: none;
        align-content: center;
        min-block-size: 44px;
        padding-inline: 14px;
        border-radius: 12px;
        color: var(--ink2);
        text-decoration: none;
        white-space: nowrap;
      }
      a[aria-current] {
        background: var(--soft);
        color: var(--accent);
        font-weight: 600;
      }
      button {
        flex: none;
      }
    `,
  ];

  /** The list's path. The storage key of the list's views contains it. */
  declare path: string;
  declare query: URLSearchParams;
  declare views: readonly View[];
  declare isNaming: boolean;
  declare name: string;

  constructor() {
    super();
    this.path = '/';
    this.query = new URLSearchParams();
    this.views = [];
    this.isNaming = false;
    this.name = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.views = readViews(this.#key);
  }

  get #key(): string {
    return `pay-dashboard.views.${this.path}`;
  }

  #keep(views: readonly View[]): void {
    this.views = views;
    localStorage.setItem(this.#key, JSON.stringify(views));
  }

  readonly #save = (event: Event): void => {
    event.preventDefault();
    const name = this.name.trim();
    if (name === '') return;
    this.#keep([...this.views.filter(view => view.name !== name), { name, query: this.query.toString() }].slice(-most));
    this.isNaming = false;
    this.name = '';
  };

  override render(): TemplateResult | typeof nothing {
    const now = this.query.toString();
    if (this.views.length === 0 && now === '') return nothing;
    const current = this.views.find(({ query }) => query === now);
    const link = (name: string, query: string) =>
      html`<a href=${pathTo(query === '' ? this.path : `${this.path}?${query}`)} aria-current=${query === now ? 'page' : nothing}>${name}</a>`;
    return html`<nav aria-label="Saved views">
        ${this.views.length === 0 ? nothing : link('All', '')} ${this.views.map(({ name, query }) => link(name, query))}
        ${
          current === undefined && now !== ''
            ? html`<button class="plain" type="button" @click=${() => {
                this.isNaming = true;
              }}>Save this view</button>`
            : nothing
        }
        ${
          current === undefined
            ? nothing
            : html`<button class="plain" type="button" @click=${() => this.#keep(this.views.filter(view => view !== current))}>Remove “${current.name}”</button>`
        }
      </nav>
      <pay-dialog heading="Save this view" .open=${this.isNaming} @close=${() => {
        this.isNaming = false;
      }}>
        <form class="fields" @submit=${this.#save}>
          ${formField({
            label: 'Name',
            name: 'name',
            value: this.name,
            maxLength: longestName,
            required: true,
            hint: 'It is kept in this browser.',
            onInput: text => {
              this.name = text;
            },
          })}
        </form>
        <button slot="buttons" class="main" type="button" ?disabled=${this.name.trim() === ''} @click=${this.#save}>Save</button>
      </pay-dialog>`;
  }
}

function readViews(key: string): readonly View[] {
  try {
    const views = JSON.parse(localStorage.getItem(key) ?? '[]') as unknown;
    return Array.isArray(views) ? views.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (value: unknown): value is View =>
  typeof (value as View | null)?.name === 'string' && typeof (value as View).query === 'string';

customElements.define('pay-saved-views', SavedViews);
