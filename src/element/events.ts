import type { Payment, PaymentQuote } from '../api/payment.ts';
import { recall, remember } from './state/browser-storage.ts';
import type { CheckoutMethod, CheckoutState } from './state/checkout-state.ts';

/** Detail of `pay-error`. `code` is from the service or from the element (`secret_key_refused`, `offline` …). */
export interface PayErrorDetail {
  readonly code: string;
  readonly message: string;
}

/** The element's events with their details. All bubble and are composed. */
export interface PayEventDetails {
  /** The payment is loaded and can be paid. */
  'pay-ready': Payment;
  /** The payment has changed. In the phase `authorized`, the payer is done, and the shop captures the card later. */
  'pay-change': Payment;
  /**
   * The payment is `completed`: an authorized card only after its capture. Sent once for each checkout and payment,
   * even if the page is reloaded or draws the checkout again.
   */
  'pay-success': Payment;
  /** The payment ended without success: declined too often, or canceled. */
  'pay-failure': Payment;
  /** The payment has expired. */
  'pay-expire': Payment;
  /** The payer chose another method. */
  'pay-method': { readonly method: CheckoutMethod };
  /** The payment has a new quote. */
  'pay-quote': { readonly quote: PaymentQuote; readonly previous: PaymentQuote };
  'pay-error': PayErrorDetail;
}

/** The event with this name. Its `detail` is typed. */
export type PayEvent<Name extends keyof PayEventDetails> = CustomEvent<PayEventDetails[Name]>;

/** The element's events by name, for `addEventListener`. */
export type PayEventMap = { [Name in keyof PayEventDetails]: PayEvent<Name> };

declare global {
  interface HTMLElementEventMap extends PayEventMap {}
}

/** The events as callback properties, for pages that prefer functions. */
export interface CheckoutCallbacks {
  onSuccess: ((payment: Payment) => void) | undefined;
  onFailure: ((payment: Payment) => void) | undefined;
  onExpire: ((payment: Payment) => void) | undefined;
  onChange: ((payment: Payment) => void) | undefined;
  onReady: ((payment: Payment) => void) | undefined;
  onError: ((error: PayErrorDetail) => void) | undefined;
}

/** Reports changes to the page, once each, by event and by callback. */
export interface Notifier {
  /** Sends the events for the differences between two states. */
  compare(state: CheckoutState, before: CheckoutState): void;
  error(detail: PayErrorDetail): void;
  /**
   * Names the page load in which the payment's success was reported in this tab: its `performance.timeOrigin`. Null if it
   * was not reported.
   */
  toldAt(paymentId: string): string | null;
}

type Handler = ((detail: unknown) => void) | undefined;

/** The element's position among the checkouts of the page, from 0. */
export const indexOf = (element: Element): number => [...document.querySelectorAll(element.localName)].indexOf(element);

/** `placeOf`: the element's place among the checkouts with the same settings (`OrderPlace.index`). */
export function createNotifier(element: HTMLElement & CheckoutCallbacks, placeOf: () => number): Notifier {
  const tell = <Name extends keyof PayEventDetails>(name: Name, detail: PayEventDetails[Name]) =>
    send(element, name, detail);

  /** Events sent so far that must not be repeated. */
  const sent = new Set<string>();
  const isFirst = (news: string) => !sent.has(news) && sent.add(news);

  /** A storage key for this checkout and payment. It is the same after a reload, and when the page draws it again. */
  const mark = (paymentId: string) => `told:${paymentId}:${placeOf()}`;
  const toldAt = (paymentId: string) => recall('sessionStorage', mark(paymentId));

  function end(payment: Payment): void {
    const { id, status, phase } = payment;
    if (status === 'pending' || !isFirst(id)) return;
    if (status === 'failed') tell(phase === 'expired' ? 'pay-expire' : 'pay-failure', payment);
    if (status !== 'completed' || toldAt(id)) return;
    remember('sessionStorage', mark(id), `${performance.timeOrigin}`);
    tell('pay-success', payment);
  }

  return {
    toldAt,
    error: detail => tell('pay-error', detail),
    compare({ payment, options, problem, method }, before) {
      if (problem && problem !== before.problem) tell('pay-error', { ...problem });
      if (method && before.method && method !== before.method) tell('pay-method', { method });
      if (!payment) return;
      const { quote, id, status } = payment;
      if (options && status === 'pending' && isFirst(`ready ${id}`)) tell('pay-ready', payment);
      const previous = before.payment?.quote;
      if (payment === before.payment) return;
      if (previous) tell('pay-change', payment);
      if (previous && previous.id !== quote.id) tell('pay-quote', { quote, previous });
      end(payment);
    },
  };
}

/**
 * Sends the event under three names, then calls the callback property. Frameworks turn a handler `onSuccess` into a
 * listener of `success` (Vue, Solid, Preact, Angular) or `Success` (React, Svelte). These two events do not bubble, so
 * listeners around the element only get `pay-success`. A function that is both property and listener is called once.
 */
export function send(element: HTMLElement, name: string, detail: unknown): void {
  const word = name.replace(/^pay-(ramp-)?/, '');
  const title = word.replace(/./, letter => letter.toUpperCase());
  const property = `on${title}`;
  const callback = (element as unknown as Record<string, Handler>)[property];
  try {
    listenForReact(element, property, title);
    for (const type of [name, word, title]) {
      element.removeEventListener(type, callback as EventListener);
      element.dispatchEvent(new CustomEvent(type, { detail, bubbles: type === name, composed: type === name }));
    }
    callback?.call(element, detail);
  } catch (error) {
    // An error in the page's code must not stop the checkout. The page's own error handling still gets it.
    reportError(error);
  }
}

/**
 * Adds the listener that React omits: for all handlers of a prerendered element (react/react#35446), and for `onChange`
 * and `onError` of any element. React stores the props in a property of the element (`__reactProps$…`). If React has
 * already added the listener, the browser ignores the second registration.
 */
function listenForReact(element: HTMLElement, property: string, type: string): void {
  for (const [key, props] of Object.entries<Record<string, Handler>>(element as never)) {
    if (/^__reactP/.test(key) && props[property]?.call) element.addEventListener(type, props[property], { once: true });
  }
}
