import { PayCheckout } from './pay-checkout.ts';

declare global {
  interface HTMLElementTagNameMap {
    'pay-checkout': PayCheckout;
  }
}

// Node has no registry, and a page may carry the element twice; the first one stays.
if (globalThis.customElements && !customElements.get('pay-checkout'))
  customElements.define('pay-checkout', PayCheckout);
