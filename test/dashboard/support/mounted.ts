import { ContextProvider } from '@lit/context';
import { fixture, html } from '@open-wc/testing';
import { LitElement } from 'lit';
import 'axe-core/axe.min.js';
import { createWords } from '../../../src/dashboard/app/area-words.ts';
import { type DashboardContext, dashboardContext, type Toast } from '../../../src/dashboard/app/dashboard-context.ts';
import type { DashboardPage } from '../../../src/dashboard/app/dashboard-page.ts';
import { createLiveEvents } from '../../../src/dashboard/app/live-events.ts';
import { createService } from '../../../src/dashboard/app/service-client.ts';
import { hasRight, type Role, type Session } from '../../../src/dashboard/app/session.ts';
import { modules } from '../../../src/dashboard/modules.ts';
import { rememberColors } from '../../support/axe-colors.ts';
import { type Answer, type FakeService, startFakeService } from './fake-service.ts';

/** The session of an owner in the sandbox. */
export function exampleSession(fields: Partial<Session> = {}): Session {
  return {
    object: 'session',
    person: {
      id: 'person_1',
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      has_password: true,
      two_factor: false,
      passkeys: 0,
    },
    merchant: { id: 'acct_1', name: 'Nordlys Supply', is_operator: false },
    role: 'owner',
    merchants: [{ id: 'acct_1', name: 'Nordlys Supply', role: 'owner' }],
    livemode: false,
    test_data_scopes: ['payments:write', 'account:read'],
    csrf_token: 'csrf_1',
    now: new Date().toISOString(),
    sandbox: true,
    modes: ['test'],
    ...fields,
  } as Session;
}

// With the dashboard's colours, axe measures the contrast.
document.head.append(
  Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/src/dashboard/dashboard.css' }),
);

rememberColors();

let service: FakeService | undefined;

/** Starts a fake service, which runs until `tidyUp`. */
export function serviceOf(answers: Record<string, Answer>): FakeService {
  service?.restore();
  service = startFakeService(answers);
  return service;
}

/** Resets service and storage. For `afterEach`. */
export function tidyUp(): void {
  for (const element of document.querySelectorAll('pay-dashboard, pay-test-frame')) element.remove();
  service?.restore();
  service = undefined;
  localStorage.clear();
  sessionStorage.clear();
}

/** A frame without navigation, which provides the context. */
class TestFrame extends LitElement {
  provided = new ContextProvider(this, { context: dashboardContext });
}
customElements.define('pay-test-frame', TestFrame);

/** A page in the test's frame. */
export interface MountedPage<P> {
  readonly page: P;
  /** Paths that the page opened. */
  readonly visits: readonly string[];
  readonly toasts: readonly Toast[];
  readonly live: DashboardContext['live'];
}

/** What a test may choose about a page. */
interface MountOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly role?: Role;
  readonly livemode?: boolean;
  /** Further fields of the session. */
  readonly session?: Partial<Session>;
}

/** Mounts a page as the dashboard does. Start a service before. */
export async function mountPage<P extends DashboardPage>(
  tag: string,
  { params = {}, query = '', role = 'owner', livemode = false, session: more = {} }: MountOptions = {},
): Promise<MountedPage<P>> {
  const session = exampleSession({ role, livemode, ...more });
  const visits: string[] = [];
  const toasts: Toast[] = [];
  const live = createLiveEvents();
  const frame = await fixture<TestFrame>(html`<pay-test-frame></pay-test-frame>`);
  frame.provided.setValue({
    ...createService({ csrfToken: () => session.csrf_token, signedOut: () => undefined }),
    ...createWords(modules),
    session,
    live,
    setTitle: () => undefined,
    refreshSession: async () => undefined,
    may: right => hasRight(role, right),
    hasPage: () => true,
    go: path => visits.push(path),
    toast: toast => toasts.push(toast),
  });
  const page = document.createElement(tag) as P;
  Object.assign(page, { params, query: new URLSearchParams(query) });
  frame.renderRoot.append(document.createElement('slot'));
  frame.append(page);
  await settle(page);
  return { page, visits, toasts, live };
}

/** Waits until the condition holds, and no longer throws. The time ends what hangs, on a busy machine too. */
export async function waitUntil(isSo: () => unknown, what = 'the condition'): Promise<void> {
  let problem: unknown;
  for (const end = performance.now() + 15_000; performance.now() < end; ) {
    try {
      if (isSo()) return;
      problem = new Error(`${what} does not hold within 15 seconds`);
    } catch (error) {
      problem = error;
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw problem;
}

/** Waits until the element has rendered what the service answered. */
export async function settle(element: Element): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(resolve => setTimeout(resolve));
    await (element as LitElement).updateComplete;
  }
}

/** All elements of the page and of the shadow roots below. */
export function* deep(root: ParentNode): Generator<Element> {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    if (element.shadowRoot) yield* deep(element.shadowRoot);
  }
}

/** The text of the page, shadow roots included, with single spaces. */
export function textOf(root: Element): string {
  const parts: string[] = [];
  const read = (node: Node): void => {
    if (node instanceof HTMLStyleElement) return;
    if (node.nodeType === Node.TEXT_NODE) parts.push(node.textContent ?? '');
    if (node instanceof Element && node.shadowRoot) node.shadowRoot.childNodes.forEach(read);
    node.childNodes.forEach(read);
  };
  read(root);
  return parts.join(' ').replace(/\s+/g, ' ').trim();
}

/** The first element with this role-like tag and accessible text, for example `button` and `Refund`. */
export function find<E extends HTMLElement = HTMLElement>(root: Element, selector: string, name?: string): E {
  const within = root.shadowRoot ?? root;
  for (const element of [...deep(within)]) {
    if (!element.matches(selector)) continue;
    const label = element.getAttribute('aria-label') ?? element.textContent?.replace(/\s+/g, ' ').trim();
    if (name === undefined || label === name) return element as E;
  }
  throw new Error(`no ${selector} ${name ?? ''} in: ${textOf(root)}`);
}

/** Accessible names that several buttons of the page share, disclosures and their content included. */
export function repeatedNames(page: Element): string[] {
  const elements = [...deep(page.shadowRoot ?? page)];
  for (const details of elements) if (details instanceof HTMLDetailsElement) details.open = true;
  const buttons = elements.filter(each => each.matches('button, summary') && each.checkVisibility());
  const names = buttons.map(each => each.getAttribute('aria-label') ?? each.textContent?.trim() ?? '');
  return names.filter((name, index) => names.indexOf(name) !== index);
}
