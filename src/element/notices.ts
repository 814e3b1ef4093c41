import type { Payment } from '../api/payment.ts';
import type { CheckoutState } from './checkout-store.ts';
import type { PayErrorDetail, PayEventDetails } from './events.ts';
import { recall, remember } from './memory.ts';

/** The same news as properties, for pages that prefer functions to events. */
export interface CheckoutCallbacks {
  onSuccess: ((payment: Payment) => void) | undefined;
  onFailure: ((payment: Payment) => void) | undefined;
  onExpire: ((payment: Payment) => void) | undefined;
  onChange: ((payment: Payment) => void) | undefined;
  onReady: ((payment: Payment) => void) | undefined;
  onError: ((error: PayErrorDetail) => void) | undefined;
}

/** Tells the page what happens: each thing once, by event and by callback. */
export interface Notices {
  /** Compares two states and tells what is new. */
  compare(state: CheckoutState, before: CheckoutState): void;
  error(detail: PayErrorDetail): void;
  /** Whether the success of the payment has been told by this element, in this tab, before or after a reload. */
  isTold(paymentId: string): boolean;
}

/** The notices of an element. */
export function createNotices(element: HTMLElement & CheckoutCallbacks): Notices {
  /** What has been told of which payment. */
  const told = new Set<string>();
  const isNews = (news: string) => !told.has(news) && told.add(news);

  /** Tells elements of one page apart, in the same way after a reload. */
  const mark = (paymentId: string) => {
    const place = [...document.querySelectorAll(element.localName)].indexOf(element);
    return `told:${paymentId}:${element.id || place}`;
  };
  const isTold = (paymentId: string) => recall('sessionStorage', mark(paymentId)) !== null;

  function end(payment: Payment): void {
    const { id, status, phase } = payment;
    if (status === 'pending' || !isNews(id)) return;
    if (status === 'failed') tell(element, phase === 'expired' ? 'pay-expire' : 'pay-failure', payment);
    if (status !== 'completed' || isTold(id)) return;
    remember('sessionStorage', mark(id), '1');
    tell(element, 'pay-success', payment);
  }

  return {
    isTold,
    error: detail => tell(element, 'pay-error', detail),
    compare({ payment, options, problem, method }, before) {
      if (problem && problem !== before.problem) tell(element, 'pay-error', { ...problem });
      if (method && before.method && method !== before.method) tell(element, 'pay-method', { method });
      if (!payment) return;
      const { quote, id, status } = payment;
      if (options && status === 'pending' && isNews(`ready ${id}`)) tell(element, 'pay-ready', payment);
      const previous = before.payment?.quote;
      if (payment === before.payment) return;
      if (previous) tell(element, 'pay-change', payment);
      if (previous && previous.id !== quote.id) tell(element, 'pay-quote', { quote, previous });
      end(payment);
    },
  };
}

/** Tells one thing: the event first, then the callback of the same name. */
function tell<Name extends keyof PayEventDetails>(
  element: HTMLElement & CheckoutCallbacks,
  name: Name,
  detail: PayEventDetails[Name],
): void {
  element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  const property = `on${name[4]?.toUpperCase()}${name.slice(5)}` as keyof CheckoutCallbacks;
  const callback = element[property] as ((detail: unknown) => void) | undefined;
  try {
    callback?.call(element, detail);
  } catch (error) {
    // A mistake in the page must not stop the checkout; it still reaches the page's own error handling.
    reportError(error);
  }
}
