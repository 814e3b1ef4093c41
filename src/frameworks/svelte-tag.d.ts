import type { HTMLAttributes } from 'svelte/elements';
import type { CheckoutCallbacks, PayCheckout } from '../element/index.ts';
import type { CheckoutListeners, CheckoutTag } from './tag.ts';

type LowerCase = { [Name in keyof CheckoutCallbacks as Lowercase<Name>]?: CheckoutListeners[Name] };

/** The tag `<pay-checkout>` in Svelte's templates. */
declare global {
  namespace svelteHTML {
    interface IntrinsicElements {
      'pay-checkout': CheckoutTag & LowerCase & Omit<HTMLAttributes<PayCheckout>, keyof (CheckoutTag & LowerCase)>;
    }
  }
}
