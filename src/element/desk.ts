import type { Payment } from '../api/payment.ts';
import { darkMedia } from './checkout-appearance.ts';
import { type CheckoutConfig, isUsable } from './checkout-config.ts';
import { type CheckoutMethod, isInFlight, methodsOf } from './checkout-selectors.ts';
import { type CheckoutSession, createSession } from './checkout-session.ts';
import { type CheckoutState, type Intent, nothingYet } from './checkout-store.ts';
import type { PayErrorDetail } from './events.ts';
import { recall, remember } from './memory.ts';
import type { Notices } from './notices.ts';
import type { Strings } from './strings/en.ts';
import { clearViews, fetchView, type ViewRack, viewOf } from './view-rack.ts';

/** What the parts of the checkout know of the element. */
export interface CheckoutElement extends HTMLElement, CheckoutConfig {
  readonly mode: string;
  readonly theme: string | undefined;
  readonly locale: string | undefined;
  readonly renderRoot: DocumentFragment | HTMLElement;
  readonly updateComplete: Promise<boolean>;
  requestUpdate(): void;
  confirm(): Promise<void>;
  open(): void;
  close(): void;
}

/**
 * What one element works with. Parts read state from it and dispatch intents; they own no fetch, no clock and no
 * arithmetic with money.
 */
export interface Desk {
  readonly element: CheckoutElement;
  readonly strings: Strings;
  readonly rack: ViewRack;
  readonly notices: Notices;
  /** Methods chosen so far. Their panels are kept, so that nothing typed is lost. */
  readonly visited: Set<CheckoutMethod>;
  session: CheckoutSession | undefined;
  /** Nothing is tried at all: the page is not as it must be. */
  isRefused: boolean;
  /** Whether `open()` was called last, and not `close()`. */
  isOpen: boolean;
  /** What screen readers are told. */
  spoken: string;
}

/** How long after the first picture the last one is fetched, in ms: a lost line must not keep a result from being shown. */
const spareTimeMs = 5000;

/** All that is known of the payment. */
export const stateOf = (desk: Desk): CheckoutState => desk.session?.store.getState() ?? nothingYet;

/** Wants something of the service; resolves when it is done or has become a problem. */
export const dispatch = async (desk: Desk, intent: Intent): Promise<void> => desk.session?.store.dispatch(intent);

/** The shadow root. */
export const rootOf = (desk: Desk) => desk.element.renderRoot as ShadowRoot;

/** Moves the focus, when what had it has gone. */
export function focusOn(desk: Desk, selector: string): void {
  rootOf(desk).querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
}

/** The language of amounts and dates: the element's, the payment's, the page's, the browser's. */
export function localeOf(desk: Desk): string {
  const { element } = desk;
  const wish = element.locale || stateOf(desk).payment?.locale || element.closest<HTMLElement>('[lang]')?.lang;
  try {
    return Intl.getCanonicalLocales(wish || navigator.language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Whether the element is to be dark: by its theme, or by what the page says of itself with `color-scheme`. */
export function isDark({ element }: Desk): boolean {
  const { theme } = element;
  if (theme === 'dark' || theme === 'light') return theme === 'dark';
  const page = theme === 'auto' ? 'light dark' : getComputedStyle(element).colorScheme;
  return page.includes('dark') && (darkMedia().matches || !page.includes('light'));
}

/** Ms for which the price is still held, or null when that does not matter. */
export function msHeld(desk: Desk): number | null {
  const { payment } = stateOf(desk);
  if (!desk.session || payment?.status !== 'pending' || isInFlight(payment)) return null;
  return Math.max(0, Date.parse(payment.expires_at) - desk.session.clock.now());
}

/** Whether the price is held no longer, by the server's clock or its own word. */
export const isQuoteOver = (desk: Desk): boolean =>
  msHeld(desk) === 0 || stateOf(desk).problem?.code === 'quote_expired';

/** Whether money is on its way, so that there is nothing to do but wait. The payer's own press is not that yet. */
export const isWaiting = (desk: Desk, payment: Payment): boolean =>
  isInFlight(payment) && stateOf(desk).busy !== 'confirm';

/** Says a sentence to screen readers when they have finished what they are saying. */
export function announce(desk: Desk, sentence: string): void {
  desk.spoken = sentence;
  desk.element.requestUpdate();
}

/** Tells the page and its developer of something that is wrong. */
export function report(desk: Desk, detail: PayErrorDetail): void {
  console.error(`<pay-checkout> ${detail.code}: ${detail.message}`);
  desk.notices.error(detail);
}

/** Begins with the payment that the element asks for. What belonged to the last one is let go. */
export function start(desk: Desk): void {
  leave(desk);
  desk.isRefused = !isUsable(desk.element);
  if (desk.isRefused) return;
  const session = createSession(desk.element, desk.notices.isTold, () => desk.element.requestUpdate());
  desk.session = session;
  session.store.subscribe((state, before) => react(desk, state, before));
  void session.begin();
}

/** Lets the payment go; nothing is heard of it any more. */
export function leave(desk: Desk): void {
  desk.session?.store.stop();
  desk.session = undefined;
  clearViews(desk);
  desk.visited.clear();
}

function react(desk: Desk, state: CheckoutState, before: CheckoutState): void {
  const { payment, method, busy } = state;
  const methods = methodsOf(state);
  desk.notices.compare(state, before);
  desk.element.requestUpdate();
  if (payment && !before.payment) setTimeout(() => desk.session && fetchView(desk, 'outcome'), spareTimeMs);
  if (busy === 'confirm') void fetchView(desk, 'outcome');
  if (method && methods.includes(method)) {
    desk.visited.add(method);
    void fetchView(desk, method);
  } else if (payment?.status === 'pending' && methods[0]) {
    const wish = payment.next_action ? payment.method : recall('localStorage', 'method');
    void dispatch(desk, { type: 'choose', method: methods.find(known => known === wish) ?? methods[0] });
  }
}

/** The payer takes a method. */
export function choose(desk: Desk, method: CheckoutMethod): void {
  remember('localStorage', 'method', method);
  void dispatch(desk, { type: 'choose', method });
}

/** Does what the main button does: a new price where the last one is over, else what the chosen method does. */
export async function confirm(desk: Desk): Promise<void> {
  const { method, busy } = stateOf(desk);
  if (busy) return;
  if (isQuoteOver(desk)) await dispatch(desk, { type: 'refresh-quote' });
  else if (method) await viewOf(desk, method)?.confirm?.();
}
