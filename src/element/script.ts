// Imported first, because its call to the service takes longer than running the rest of the script.
import './script-start.ts';
import './define.ts';
import type { CheckoutOptions } from './checkout-options.ts';
import type { PayCheckout } from './pay-checkout.ts';

/** The global `PayCheckout` of the script tag. Each call returns the element, for its events and methods. */
export interface PayCheckoutGlobal {
  /** Adds a checkout to the target (an element or a selector). Throws if there is no target. */
  mount(target: string | Element, options: CheckoutOptions): PayCheckout;
  /** Creates or opens the payment and goes to the hosted page. Asks for an unknown customer first. */
  redirect(options: CheckoutOptions): PayCheckout;
  /** Adds a pay button to the target. It opens a dialog, or the hosted page with `mode: 'redirect'`. */
  button(target: string | Element, options: CheckoutOptions): PayCheckout;
}

function mount(target: string | Element, options: CheckoutOptions): PayCheckout {
  const place = typeof target === 'string' ? document.querySelector(target) : target;
  if (!place) throw new Error(`PayCheckout: nothing on this page matches ${target}`);
  const element = Object.assign(document.createElement('pay-checkout'), options);
  place.append(element);
  return element;
}

const entry: PayCheckoutGlobal = {
  mount,
  button: (target, options) => mount(target, { mode: 'popup', ...options }),
  redirect(options) {
    const element = mount(document.body, { ...options, mode: 'redirect' });
    // An empty trigger replaces the element's button, because the page has its own button.
    element.append(Object.assign(document.createElement('span'), { slot: 'trigger' }));
    element.open();
    return element;
  },
};
Object.assign(globalThis, { PayCheckout: entry });
