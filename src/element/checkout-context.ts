import type { CSSResult } from 'lit';
import type { Payment } from '../api/payment.ts';
import { darkMedia } from './appearance.ts';
import type { Notifier } from './events.ts';
import type { CheckoutConfig } from './state/checkout-config.ts';
import type { CheckoutSession, SessionChunks } from './state/checkout-session.ts';
import { type CheckoutMethod, type CheckoutState, initialState, isInFlight } from './state/checkout-state.ts';
import type { CheckoutStore } from './state/checkout-store.ts';
import type { Strings } from './strings/en.ts';

/** The element's interface for the parts of the checkout. */
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

/** A part of the checkout. Its code is loaded when the part is first shown. */
export interface View {
  render(state: CheckoutState): unknown;
  /** Label of the main button while this view is the chosen method. Null: no button. */
  action?(state: CheckoutState): string | null;
  /** The content below the main button. */
  below?(state: CheckoutState): unknown;
  /** The payer's amount, if it depends on the rate. Null or missing: the payer pays in the payment's currency. */
  quoted?(state: CheckoutState): string | null;
  /** The warning that the other tabs show while this method may still take money. Null or missing: none. */
  warning?(state: CheckoutState): string | null;
  /** Whether the view is still handling a press of a button. */
  isBusy?(): boolean;
  /** Called by the main button while this view is the chosen method. */
  confirm?(): Promise<void>;
  /** Called when the element is removed or shows another payment. For the card, also when the outcome appears. */
  dispose?(): void;
}

/** The exports of a view's file. */
export interface ViewModule {
  readonly styles: CSSResult;
  createView(context: CheckoutContext): View;
}

/** Names of the views. Each payment method is a view. */
export type ViewName =
  | CheckoutMethod
  /** The form for e-mail address and name. */
  | 'details'
  /** The form of a payment link. */
  | 'link'
  /** The page of the card's bank (3-D Secure). */
  | 'challenge'
  /** The reason why no payment can be shown. */
  | 'trouble'
  /** Everything below the tabs: notes, the methods' panels and the main button. */
  | 'panels'
  /** The result of the payment. */
  | 'outcome'
  /** The button and the dialog of the modes `redirect` and `popup`. */
  | 'launcher';

/** Loaders of code that is not part of the first load (see `chunks.ts`). */
export interface Chunks extends SessionChunks {
  readonly views: Readonly<Record<ViewName, () => Promise<ViewModule>>>;
  /** Languages other than English, by their code. */
  readonly languages: Readonly<Record<string, () => Promise<{ readonly strings: Strings }>>>;
  /** Styles, focus and keyboard handling, and the action of the main button, which all views need. */
  readonly controls: () => Promise<{
    readonly styles: CSSResult;
    attend(context: CheckoutContext): void;
    confirm(context: CheckoutContext): Promise<void>;
  }>;
  readonly qrCode: () => Promise<typeof import('./controls/qr-code.ts')>;
}

/**
 * Values that the parts of one checkout share. Parts read the state and call the store.
 */
export interface CheckoutContext {
  readonly element: CheckoutElement;
  readonly chunks: Chunks;
  /** The sentences in the chosen language. */
  strings: Strings;
  /** The views by name. A promise while the view is loading; null after a failed load. */
  readonly views: Map<ViewName, View | Promise<void> | null>;
  readonly notifier: Notifier;
  /** Methods chosen so far. Their panels stay in the page, so that typed text is not lost. */
  readonly visited: Set<CheckoutMethod>;
  session: CheckoutSession | undefined;
  /** Whether the page or the payer has opened the checkout. Matters only in the modes `popup` and `redirect`. */
  isOpen: boolean;
  /** The text that screen readers announce. */
  spoken: string;
}

export const stateOf = (context: CheckoutContext): CheckoutState => storeOf(context)?.state ?? initialState;

/** The store of the open session. */
export const storeOf = ({ session }: CheckoutContext): CheckoutStore | undefined => session?.store;

/** An element with a shadow root: a checkout, or the widget of ramps. */
export interface Rooted {
  readonly element: { readonly renderRoot: DocumentFragment | HTMLElement };
}

export const rootOf = ({ element }: Rooted) => element.renderRoot as ShadowRoot;

/**
 * Locale of amounts and dates: the element's, otherwise the payment's. For `auto`: the browser's first locale in a
 * language of the element, otherwise the page's locale. English if none fits, so that words and amounts have the same
 * language.
 */
export function localeOf(context: CheckoutContext): string {
  const { element, chunks } = context;
  return chooseLocale(element, element.locale || stateOf(context).payment?.locale || 'auto', chunks.languages);
}

/** The locale for the wish `own`, in English or one of the languages. */
export function chooseLocale(element: Element, own: string, languages: object): string {
  const page = element.closest<HTMLElement>('[lang]')?.lang ?? '';
  const wishes = own === 'auto' ? [...navigator.languages, page] : [own];
  const isSpoken = (tag: string) => /^en/i.test(tag) || languageIn(tag.toLowerCase()) in languages;
  try {
    return Intl.getCanonicalLocales(wishes.find(isSpoken))[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** The language of a locale, for example `ar` for `ar-EG`. */
export const languageIn = (locale: string): string => locale.split('-')[0] as string;

/** Whether the element is drawn dark: by its theme, or by the page's own `color-scheme`. */
export function isDark({ element }: { readonly element: Element & { readonly theme: string | undefined } }): boolean {
  const { theme } = element;
  if (theme === 'dark' || theme === 'light') return theme === 'dark';
  const page = theme === 'auto' ? 'light dark' : getComputedStyle(element).colorScheme;
  return page.includes('dark') && (darkMedia().matches || !page.includes('light'));
}

/** Milliseconds until the rate ends. Null if no rate is shown. */
export function msHeld(context: CheckoutContext): number | null {
  const { payment } = stateOf(context);
  if (!context.session || payment?.status !== 'pending' || isWaiting(context, payment)) return null;
  return Math.max(0, Date.parse(payment.expires_at) - context.session.api.now());
}

/** Whether the rate has ended, by the server's clock or by the service's answer. */
export const isQuoteOver = (context: CheckoutContext): boolean =>
  msHeld(context) === 0 || stateOf(context).problem?.code === 'quote_expired';

/** Whether a payment is in progress and the payer can only wait. False while the task `confirm` is running. */
export const isWaiting = (context: CheckoutContext, payment: Payment): boolean =>
  isInFlight(payment) && stateOf(context).busy !== 'confirm';

/** Makes screen readers announce a sentence after the current one. */
export function announce(context: CheckoutContext, sentence: string): void {
  context.spoken = sentence;
  context.element.requestUpdate();
}
