import type { CallActivity, Entry } from '../activity.ts';
import { h, icon, icons } from '../shop/dom.ts';
import { createRememberedCalls } from './browser-calls.ts';
import { entryView } from './panel-entry.ts';

/** The developer panel. It shows calls, events and webhooks between browser, shop and service as they happen. */
export interface Panel {
  readonly element: HTMLElement;
  /** Button in the shop's header that opens and closes the panel. */
  readonly toggle: HTMLButtonElement;
  readonly add: (call: CallActivity) => void;
}

const filters = [
  ['all', 'All'],
  ['call', 'Calls'],
  ['event', 'Events'],
  ['webhook', 'Webhooks'],
] as const;

const openKey = 'nordlys-panel';
/** On narrower pages the panel starts closed, because it would cover the shop. */
const wide = matchMedia('(min-width: 1180px)');

/** Creates the panel and starts to follow the shop's log. */
export function createPanel(): Panel {
  const calls = createRememberedCalls();
  const { element, toggle, close, list, hint, count } = parts();
  const show = (entry: Entry) => {
    place(list, entry);
    const shown = String(list.childElementCount);
    hint.hidden = true;
    count.textContent = shown;
    count.dataset['count'] = shown;
  };
  for (const entry of calls.all()) show(entry);
  connect(element, show);
  arrangeOpening(element, toggle, close);
  return { element, toggle, add: call => show(calls.add(call)) };
}

function parts() {
  const list = h('ol', { class: 'entries', tabindex: 0, 'aria-label': 'What happened, newest first' });
  const hint = h('p.panel-hint', emptyText);
  const count = h('span', { class: 'count', 'data-count': '0' }, '0');
  const toggle = h(
    'button',
    { class: 'round-button panel-toggle', type: 'button', 'aria-controls': 'panel', 'aria-label': 'Developer panel' },
    ...[icon(icons.code), h('span', 'Panel'), count],
  );
  const close = h(
    'button',
    { class: 'round-button', type: 'button', 'aria-label': 'Close the developer panel' },
    icon(icons.close),
  );
  const live = h('span', { class: 'live', title: 'Live' });
  const head = h('div.panel-head', h('h2', 'Developer panel'), live, close);
  const element = h('aside', { id: 'panel', class: 'panel', 'aria-label': 'Developer panel' });
  element.append(head, filterBar(list), hint, list);
  return { element, toggle, close, list, hint, count };
}

const emptyText =
  'Put something into the basket and pay for it, or pay 1,000 people: every call, event and webhook shows up here.';

/** Inserts an entry by its time, newest first. Entries of this tab and of the server arrive in no common order. */
function place(list: HTMLElement, entry: Entry): void {
  const view = entryView(entry);
  view.dataset['at'] = entry.at;
  const older = [...list.children].find(child => ((child as HTMLElement).dataset['at'] ?? '') <= entry.at);
  list.insertBefore(view, older ?? null);
}

function filterBar(list: HTMLElement): HTMLElement {
  const buttons = filters.map(([kind, name]) =>
    h('button', { type: 'button', class: 'filter', 'aria-pressed': String(kind === 'all'), 'data-filter': kind }, name),
  );
  const bar = h('div', { class: 'filters', role: 'group', 'aria-label': 'Show' }, ...buttons);
  bar.addEventListener('click', event => {
    const pressed = buttons.find(button => button === event.target);
    if (!pressed) return;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button === pressed));
    list.dataset['show'] = pressed.dataset['filter'] ?? 'all';
  });
  return bar;
}

/**
 * Follows the shop's log while the page is visible. A hidden tab closes its connection, because browsers allow only six
 * connections per host.
 */
function connect(element: HTMLElement, show: (entry: Entry) => void): void {
  let source: EventSource | null = null;
  let newest = 0;
  const open = () => {
    source = new EventSource(`/demo/api/activity?after=${newest}`);
    source.addEventListener('message', event => {
      const entry = JSON.parse(event.data) as Entry;
      // A sequence that restarts at 1 means that the server was restarted.
      if (entry.sequence <= newest && entry.sequence !== 1) return;
      newest = entry.sequence;
      show(entry);
    });
    source.addEventListener('open', () => element.classList.add('connected'));
    source.addEventListener('error', () => element.classList.remove('connected'));
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) source?.close();
    else if (source === null || source.readyState === EventSource.CLOSED) open();
  });
  if (!document.hidden) open();
}

function arrangeOpening(element: HTMLElement, toggle: HTMLButtonElement, close: HTMLButtonElement): void {
  const set = (isOpen: boolean) => {
    element.classList.toggle('open', isOpen);
    element.toggleAttribute('inert', !isOpen);
    document.body.classList.toggle('with-panel', isOpen);
    toggle.setAttribute('aria-expanded', String(isOpen));
  };
  const choose = (isOpen: boolean) => {
    set(isOpen);
    if (wide.matches) localStorage.setItem(openKey, isOpen ? 'open' : 'closed');
    (isOpen ? close : toggle).focus();
  };
  toggle.addEventListener('click', () => choose(!element.classList.contains('open')));
  close.addEventListener('click', () => choose(false));
  element.addEventListener('keydown', event => event.key === 'Escape' && choose(false));
  const settle = () => set(wide.matches && localStorage.getItem(openKey) !== 'closed');
  wide.addEventListener('change', settle);
  settle();
}
