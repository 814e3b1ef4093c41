import type { JSX } from 'preact';
import type { PayCheckout } from '../element/index.ts';
import type { CheckoutTag } from './tag.ts';

/** The tag `<pay-checkout>` in Preact's JSX. */
declare global {
  namespace preact.JSX {
    interface IntrinsicElements {
      'pay-checkout': CheckoutTag & Omit<JSX.HTMLAttributes<PayCheckout>, keyof CheckoutTag>;
    }
  }
}
