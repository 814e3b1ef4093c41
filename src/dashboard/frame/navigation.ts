import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardModule, NavigationEntry, NavigationGroup } from '../app/dashboard-module.ts';
import { pathTo } from '../app/router.ts';
import { icon } from '../controls/icons.ts';

const headings: Readonly<Record<NavigationGroup, string | null>> = {
  main: null,
  money: 'Money',
  account: 'Account',
};

/** The navigation of all modules, in order. */
export function entriesOf(modules: readonly DashboardModule[]): readonly NavigationEntry[] {
  const groups = Object.keys(headings);
  return modules
    .flatMap(({ navigation = [] }) => navigation)
    .sort((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group) || one.order - other.order);
}

/** Whether the entry's page, a page below it or one of its further pages is shown. */
const isCurrent = (entry: NavigationEntry, path: string) =>
  path === entry.path ||
  entry.further?.includes(path) === true ||
  (entry.path !== '/' && path.startsWith(`${entry.path}/`));

/** The navigation with its groups, for the side and for the menu of a phone. */
export function navigationList(entries: readonly NavigationEntry[], path: string): TemplateResult {
  const groups = Map.groupBy(entries, ({ group }) => group);
  return html`${[...groups].map(([group, list]) => {
    const heading = headings[group];
    return html`${heading === null ? nothing : html`<h2 class="group">${heading}</h2>`}
      <ul>${list.map(entry => html`<li>${navigationLink(entry, path)}</li>`)}</ul>`;
  })}`;
}

export function navigationLink(entry: NavigationEntry, path: string): TemplateResult {
  return html`<a class="to" href=${pathTo(entry.path)} aria-current=${isCurrent(entry, path) ? 'page' : nothing}>
    ${icon(entry.icon)}<span>${entry.label}</span>
  </a>`;
}
