import { PayCheckout } from './pay-checkout.ts';
import { PayRamp } from './ramp/pay-ramp.ts';

declare global {
  interface HTMLElementTagNameMap {
    'pay-checkout': PayCheckout;
    'pay-ramp': PayRamp;
  }
}

// Node has no element registry. If a page loads the elements twice, the first definitions stay.
for (const [tag, element] of [
  ['pay-checkout', PayCheckout],
  ['pay-ramp', PayRamp],
] as const) {
  if (globalThis.customElements && !customElements.get(tag)) customElements.define(tag, element);
}
