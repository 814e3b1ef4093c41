import './define.ts';
import { setScriptOrigin } from './checkout-config.ts';
import type { CheckoutProperties } from './checkout-properties.ts';
import type { PayCheckout } from './pay-checkout.ts';

/** Whatever can be set on the element: `apiKey`, `paymentId`, `amount`, `onSuccess` … */
export type CheckoutOptions = Partial<Omit<CheckoutProperties, keyof HTMLElement | 'renderRoot' | 'updateComplete'>>;

/** What a script tag brings as `PayCheckout`. Each call returns the element, for its events and methods. */
export interface PayCheckoutGlobal {
  /** Puts a checkout into the target (an element or a selector). Throws when there is no target. */
  mount(target: string | Element, options: CheckoutOptions): PayCheckout;
  /** Creates or opens the payment and goes to the hosted page; asks who pays first where that is not known. */
  redirect(options: CheckoutOptions): PayCheckout;
  /** Puts a pay button into the target; it opens a dialog, or the hosted page with `mode: 'redirect'`. */
  button(target: string | Element, options: CheckoutOptions): PayCheckout;
}

function mount(target: string | Element, options: CheckoutOptions): PayCheckout {
  const place = typeof target === 'string' ? document.querySelector(target) : target;
  if (!place) throw new Error(`PayCheckout: nothing on this page matches ${target}`);
  const element = Object.assign(document.createElement('pay-checkout'), options);
  place.append(element);
  return element;
}

const source = (document.currentScript as HTMLScriptElement | null)?.src;
if (source) setScriptOrigin(new URL(source).origin);

const entry: PayCheckoutGlobal = {
  mount,
  button: (target, options) => mount(target, { mode: 'popup', ...options }),
  redirect(options) {
    const element = mount(document.body, { ...options, mode: 'redirect' });
    // In place of the button there is nothing: the press was elsewhere.
    element.append(Object.assign(document.createElement('span'), { slot: 'trigger' }));
    element.open();
    return element;
  },
};
Object.assign(globalThis, { PayCheckout: entry });
