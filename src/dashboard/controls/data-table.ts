import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { PagedRows } from '../app/paged-rows.ts';
import { tableStyles } from './data-table.styles.ts';
import { errorNote, skeleton } from './states.ts';
import { controlStyles } from './styles.ts';

/** One column. Keep the array of columns in a constant, because a new array makes the table render all rows again. */
export interface Column<T> {
  readonly label: string;
  readonly cell: (row: T) => TemplateResult | string | number | typeof nothing;
  /** The share of the width. Default: 1. */
  readonly share?: number;
  /** Alignment. Numbers are aligned to the end. */
  readonly align?: 'end';
  /**
   * The position on a phone's card. `title` and `value` share the first line. Other columns follow on the second line,
   * with `last` at its end. `hidden` columns are omitted. Default: the first column is the title.
   */
  readonly inCard?: 'title' | 'value' | 'last' | 'hidden';
}

/**
 * Number of rows in a group. The browser lays out a group when it comes into view. The layout of a larger group takes
 * longer than one animation frame. A group for each row costs the browser more than it saves.
 */
const groupRows = 10;

/**
 * The number of rows for the style sheet. It is set as the property `style`, because the page's Content-Security-Policy
 * refuses the attribute.
 */
const rowCount = (rows: number) => `--rows: ${rows}` as never;

/**
 * `<pay-data-table label .columns .rows .href>`: the rows of a list as a table, or as cards if there is little width.
 * Loads the next page shortly before the end of the list comes into view. The browser does not lay out rows out of view
 * (`content-visibility`). The slot `empty` is shown for a list without rows.
 */
export class DataTable<T extends { readonly id: string }> extends LitElement {
  static override readonly properties = {
    label: {},
    columns: { attribute: false },
    // After a change, the controller is still the same object, so each assignment counts as a change.
    rows: { attribute: false, hasChanged: () => true },
    href: { attribute: false },
  };
  static override readonly styles = [controlStyles, tableStyles];

  declare label: string;
  declare columns: readonly Column<T>[];
  declare rows: PagedRows<T>;
  /** The page of a row. With it, the whole row is a link. */
  declare href: ((row: T) => string) | undefined;

  readonly #end = new IntersectionObserver(
    entries => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void this.rows.more();
    },
    { rootMargin: '600px' },
  );

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end.disconnect();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('columns')) return;
    const tracks = this.columns.map(({ share = 1 }) => `minmax(0, ${share}fr)`);
    this.style.setProperty('--tracks', tracks.join(' '));
  }

  override updated(): void {
    // Observes the end again, because it may still be in view after a short page.
    this.#end.disconnect();
    // `.more` is the last element. A search by selector would walk through all rows.
    const more = this.renderRoot.lastElementChild;
    if (more?.matches('.more') && !this.rows.isLoading && this.rows.error === null) this.#end.observe(more);
  }

  override render(): TemplateResult {
    const { rows } = this;
    if (rows.isEmpty) return html`<slot name="empty"></slot>`;
    if (rows.count === 0) return rows.error === null ? skeleton(6) : this.#error();
    return html`<div class="table" role="table" aria-label=${this.label} aria-busy=${rows.isLoading}>
        <div role="rowgroup" class="heads">
          <div role="row" class="row">
            ${this.columns.map(({ label, align = '' }) => html`<div role="columnheader" class=${align}>${label}</div>`)}
          </div>
        </div>
        ${rows.pages.map(page => guard([page, this.columns], () => this.#page(page)))}
      </div>
      ${rows.error === null ? nothing : this.#error()}
      ${
        rows.hasMore
          ? html`<div class="more"><button class="second" type="button" ?disabled=${rows.isLoading}
              @click=${() => void rows.more()}>${rows.isLoading ? 'Loading …' : 'Show more'}</button></div>`
          : nothing
      }`;
  }

  #error(): TemplateResult {
    const again = this.rows.count === 0 ? () => void this.rows.reload() : () => void this.rows.more();
    return errorNote(this.rows.error, again);
  }

  #page(page: readonly T[]): TemplateResult {
    const groups = Array.from({ length: Math.ceil(page.length / groupRows) }, (_, index) =>
      page.slice(index * groupRows, (index + 1) * groupRows),
    );
    return html`<div class="page" .style=${rowCount(page.length)}>
      ${groups.map(
        rows =>
          html`<div role="rowgroup" class="group" .style=${rowCount(rows.length)}>${rows.map(row => this.#row(row))}</div>`,
      )}
    </div>`;
  }

  #row(row: T): TemplateResult {
    const href = this.href?.(row);
    return html`<div role="row" class=${href === undefined ? 'row' : 'row link'}>
      ${this.columns.map(({ cell, align = '', inCard = '' }, index) => {
        const content = cell(row);
        const place = inCard || (index === 0 ? 'title' : '');
        const isLink = href !== undefined && index === 0;
        return html`<div role="cell" class="cell ${align} ${place}">${
          isLink ? html`<a class="cover" href=${href}>${content}</a>` : content
        }</div>`;
      })}
    </div>`;
  }
}

customElements.define('pay-data-table', DataTable);
