import { css, html, nothing, type TemplateResult } from 'lit';
import type { ListParams } from '../../api/client.ts';
import type { DashboardPage } from '../app/dashboard-page.ts';
import { icon } from './icons.ts';

/** A filter of a list. Its value is a parameter of the page's URL, so that links can lead to a filtered list. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly kind: 'choice' | 'day';
  /** The values of a choice. `none` is added before them. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** The label of the choice without a value. Default: "All". */
  readonly none?: string;
}

interface FiltersBar {
  /** The page of the list. Its query contains the current values. */
  readonly page: DashboardPage;
  /** The page's path. It is opened with the new values. */
  readonly path: string;
  readonly filters?: readonly Filter[];
  /** The search field: its parameter and its label. */
  readonly search?: { readonly name: string; readonly label: string };
  /** More content at the end of the bar, for example saved views. */
  readonly more?: TemplateResult | typeof nothing;
}

/** Styles of `filtersBar`. Add them to `static styles` of the page. */
export const filterStyles = css`
  .filters {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: end;
  }
  .filters .find {
    position: relative;
    flex: 1 1 14rem;
    max-inline-size: 22rem;
  }
  .filters .find .icon {
    position: absolute;
    inset-block-start: 12px;
    inset-inline-start: 12px;
    color: var(--ink3);
  }
  .filters .find .input {
    padding-inline-start: 38px;
  }
  .filters .filter {
    display: flex;
    gap: 6px;
    align-items: center;
    min-block-size: 44px;
    padding-inline: 12px 4px;
    border: 1px solid var(--line);
    border-radius: 10px;
    background: var(--card);
    color: var(--ink2);
    font-size: 0.933rem;
  }
  .filters .filter.set {
    border-color: var(--accent);
  }
  .filters .filter:focus-within {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  .filters :is(select, input[type="date"]) {
    min-inline-size: 0;
    max-inline-size: 9rem;
    min-block-size: 42px;
    padding: 0 4px;
    border: 0;
    outline: none;
    background: none;
    color: var(--ink);
    font-weight: 550;
  }
  .filters select {
    max-inline-size: 6.5rem;
  }
  .filters option {
    background: var(--card);
    color: var(--ink);
  }
  .filters .choices {
    display: contents;
  }
  @media (width < 620px) {
    .filters .find {
      flex-basis: 100%;
      max-inline-size: none;
    }
    /* One line that scrolls, so that the list begins on the first screen. */
    .filters .choices {
      display: flex;
      gap: 8px;
      margin: -4px -16px;
      padding: 4px 16px;
      overflow-x: auto;
    }
    .filters .filter {
      flex: none;
    }
    .filters :is(select, input[type="date"]) {
      font-size: 16px;
    }
  }
`;

/**
 * The list's parameters from the page's URL: the named filters, and `created_at` from the days `from` and `to`. Days
 * are in the browser's time zone. A text that is not a day, for example in a mistyped URL, does not filter.
 */
export function filtersIn(query: URLSearchParams, names: readonly string[]): ListParams {
  const from = instant(`${query.get('from')}T00:00:00`);
  const to = instant(`${query.get('to')}T23:59:59.999`);
  const days = { ...(from && { gte: from }), ...(to && { lte: to }) };
  const set = names.filter(name => query.get(name)).map(name => [name, query.get(name)] as const);
  return { ...Object.fromEntries(set), ...(from || to ? { created_at: days } : {}) };
}

function instant(local: string): string | null {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The filters for the days of `filtersIn`. */
export const dayFilters: readonly Filter[] = [
  { name: 'from', label: 'From', kind: 'day' },
  { name: 'to', label: 'To', kind: 'day' },
];

/** Search, filters and a button that clears them. */
export function filtersBar({ page, path, filters = [], search, more = nothing }: FiltersBar): TemplateResult {
  const { app, query } = page;
  const apply = (next: URLSearchParams) => app.go(next.size > 0 ? `${path}?${next}` : path, { replace: true });
  const set = (name: string, value: string) => apply(changed(query, name, value));
  const isSet = [...filters.map(({ name }) => name), search?.name ?? ''].some(name => query.get(name));
  return html`<search class="filters">
    ${search === undefined ? nothing : searchField(search, query, set)}
    <div class="choices" role="group" aria-label="Filters">
      ${filters.map(filter => oneFilter(filter, query.get(filter.name) ?? '', set))}
    </div>
    ${isSet ? html`<button class="plain" type="button" @click=${() => apply(new URLSearchParams())}>Clear</button>` : nothing}
    ${more}
  </search>`;
}

function changed(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

type Set = (name: string, value: string) => void;

function searchField({ name, label }: { name: string; label: string }, query: URLSearchParams, set: Set) {
  const read = (event: Event) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLElement).querySelector('input');
    set(name, input?.value.trim() ?? '');
  };
  return html`<form class="find" @submit=${read} @search=${read}>
    ${icon('search')}
    <input class="input" type="search" name=${name} aria-label=${label} placeholder=${label}
      enterkeyhint="search" autocomplete="off" maxlength="254" .value=${query.get(name) ?? ''}>
  </form>`;
}

/** One filter. `set` gets the new value. */
export function oneFilter(
  { name, label, kind, options = [], none = 'All' }: Filter,
  value: string,
  set: Set,
): TemplateResult {
  const say = (event: Event) => set(name, (event.target as HTMLInputElement).value);
  return html`<label class="filter ${value ? 'set' : ''}">
    <span>${label}</span>
    ${
      kind === 'day'
        ? html`<input type="date" name=${name} .value=${value} @change=${say}>`
        : html`<select name=${name} @change=${say}>
          <option value="" ?selected=${value === ''}>${none}</option>
          ${options.map(([key, words]) => html`<option value=${key} ?selected=${key === value}>${words}</option>`)}
        </select>`
    }
  </label>`;
}
