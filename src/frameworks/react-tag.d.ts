import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { PayCheckout } from '../element/index.ts';
import type { CheckoutTag } from './tag.ts';

/** The tag `<pay-checkout>` in React's JSX. The component of `pay-checkout/react` does not need these types. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'pay-checkout': CheckoutTag &
        Omit<DetailedHTMLProps<HTMLAttributes<PayCheckout>, PayCheckout>, keyof CheckoutTag> & { class?: string };
    }
  }
}
