import type { Payment } from '../api/payment.ts';
import { darkMedia } from './checkout-appearance.ts';
import type { CheckoutConfig } from './checkout-config.ts';
import { type CheckoutMethod, isInFlight } from './checkout-selectors.ts';
import type { CheckoutSession } from './checkout-session.ts';
import { type CheckoutState, type Intent, nothingYet } from './checkout-store.ts';
import type { Notices } from './notices.ts';
import type { Strings } from './strings/en.ts';
import type { ViewRack } from './view-rack.ts';

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
  /** In the language that is spoken. */
  strings: Strings;
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

/** All that is known of the payment. */
export const stateOf = (desk: Desk): CheckoutState => desk.session?.store.getState() ?? nothingYet;

/** Wants something of the service; resolves when it is done or has become a problem. */
export const dispatch = async (desk: Desk, intent: Intent): Promise<void> => desk.session?.store.dispatch(intent);

/** The shadow root. */
export const rootOf = (desk: Desk) => desk.element.renderRoot as ShadowRoot;

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
  if (!desk.session || payment?.status !== 'pending' || isWaiting(desk, payment)) return null;
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
