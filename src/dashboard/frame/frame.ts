import { html, type TemplateResult } from 'lit';
import type { DashboardModule } from '../app/dashboard-module.ts';
import { pathTo } from '../app/router.ts';
import type { Session } from '../app/session.ts';
import { icon } from '../controls/icons.ts';
import { emptyState } from '../controls/states.ts';
import { entriesOf, navigationLink, navigationList } from './navigation.ts';
import { merchantMark, modeChip, personButton, personMenu } from './person-menu.ts';
import './bell.ts';

interface FrameParts {
  readonly session: Session;
  readonly modules: readonly DashboardModule[];
  /** The current path below `/dashboard`. */
  readonly path: string;
  readonly content: unknown;
  readonly isBusy: boolean;
  readonly signOut: () => void;
  /** Opens the command palette. */
  readonly find: () => void;
}

/** The frame around a page: navigation at the side, a bar at the top, and on a phone a bar at the foot. */
export function dashboardFrame(parts: FrameParts): TemplateResult {
  const { session, path, content, isBusy, find } = parts;
  const entries = entriesOf(parts.modules);
  return html`<nav aria-label="Shortcuts"><a class="skip" href="#page" @click=${skip}>Skip to the page</a></nav>
    <div class="frame">
      <aside class="side" aria-label="Account and areas">
        <div class="merchant">${merchantMark(session.merchant.name)}<span>${session.merchant.name}</span></div>
        <nav aria-label="Areas">${navigationList(entries, path)}</nav>
        ${personButton(session, 'person-menu')}
      </aside>
      <div id="person-menu" popover role="region" aria-label="You" @click=${closeAfterLink}>${personMenu(parts)}</div>
      <div class="content">
        <header class="top">
          <div class="merchant">${merchantMark(session.merchant.name)}<strong>${session.merchant.name}</strong>${modeChip(session)}</div>
          <button class="finder" type="button" aria-label="Search" aria-keyshortcuts="Control+K Meta+K" @click=${find}>
            ${icon('search')}<span>Search payments, people, hashes</span><kbd>${shortcutText}</kbd>
          </button>
          <div class="space"></div>
          <pay-bell></pay-bell>
        </header>
        <main id="page" tabindex="-1" aria-busy=${isBusy}>${content}</main>
      </div>
    </div>
    <nav class="foot" aria-label="Areas at the foot">
      ${entries.filter(({ isAtFoot }) => isAtFoot).map(entry => navigationLink(entry, path))}
      <button class="to" type="button" popovertarget="more-menu">${icon('more')}<span>More</span></button>
    </nav>
    <div id="more-menu" popover role="region" aria-label="Menu" @click=${closeAfterLink}>
      <nav aria-label="All areas">${navigationList(entries, path)}</nav>
      ${personMenu(parts)}
    </div>`;
}

const shortcutText = /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

function skip(event: Event): void {
  event.preventDefault();
  const root = (event.target as HTMLElement).getRootNode() as ShadowRoot;
  root.querySelector<HTMLElement>('main')?.focus();
}

function closeAfterLink(event: Event): void {
  const isLink = event.composedPath().some(target => target instanceof HTMLAnchorElement);
  if (isLink) (event.currentTarget as HTMLElement).hidePopover();
}

/** The page of an unknown URL. */
export function notFound(): TemplateResult {
  return emptyState(
    'There is no such page',
    'The address may be mistyped, or the page has moved.',
    html`<a class="main" href=${pathTo('/')}>Go home</a>`,
  );
}
