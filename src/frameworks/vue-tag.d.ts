import type { HTMLAttributes } from 'vue';
import type { PayCheckout } from '../element/index.ts';
import type { CheckoutSettings, CheckoutTag } from './tag.ts';

type Properties = { [Name in keyof CheckoutSettings as `.${Name}`]?: CheckoutSettings[Name] };

/** Vue's types know attributes by their name in camel case only. */
type Attributes = Omit<CheckoutTag, 'paymentMethods'> & {
  paymentMethods?: CheckoutTag['paymentMethods'] | CheckoutTag['payment-methods'];
};

/** The tag in Vue's templates. */
declare module 'vue' {
  interface GlobalComponents {
    'pay-checkout': new () => PayCheckout & {
      $props: Attributes & Properties & Omit<HTMLAttributes, keyof CheckoutTag>;
    };
  }
}
