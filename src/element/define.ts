import { PayCheckout } from './pay-checkout.ts';

declare global {
  interface HTMLElementTagNameMap {
    'pay-checkout': PayCheckout;
  }
}

// Node has no element registry. If a page loads the element twice, the first definition stays.
if (globalThis.customElements && !customElements.get('pay-checkout'))
  customElements.define('pay-checkout', PayCheckout);
