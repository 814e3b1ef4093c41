import type { JSX } from 'solid-js';
import type { PayCheckout, PayEventMap } from '../element/index.ts';
import type { CheckoutSettings, CheckoutTag } from './tag.ts';

type Events = { [Name in keyof PayEventMap as `on:${Name}`]?: (event: PayEventMap[Name]) => void };
type Properties = { [Name in keyof CheckoutSettings as `prop:${Name}`]?: CheckoutSettings[Name] };

/** The tag `<pay-checkout>` in Solid's JSX. */
declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'pay-checkout': CheckoutTag & Events & Properties & Omit<JSX.HTMLAttributes<PayCheckout>, keyof CheckoutTag>;
    }
  }
}
