import type { HTMLAttributes, VNodeProps } from 'vue';
import type { PayCheckout, PayEventMap } from '../element/index.ts';
import type { CheckoutSettings, CheckoutTag } from './tag.ts';

type Properties = { [Name in keyof CheckoutSettings as `.${Name}`]?: CheckoutSettings[Name] };

/** Vue's type checker reads `payment-methods` as `paymentMethods`, so `paymentMethods` also accepts text. */
type Attributes = Omit<CheckoutTag, 'paymentMethods'> & {
  paymentMethods?: CheckoutTag['paymentMethods'] | CheckoutTag['payment-methods'];
};

/** The listeners: `@pay-success` … */
type Events = {
  [Name in keyof PayEventMap as Name extends `pay-${infer Word}` ? `onPay${Capitalize<Word>}` : never]?: (
    event: PayEventMap[Name],
  ) => void;
};

/** The tag `<pay-checkout>` in Vue's templates. */
declare module 'vue' {
  interface GlobalComponents {
    'pay-checkout': new () => PayCheckout & {
      $props: VNodeProps & Attributes & Events & Properties & Omit<HTMLAttributes, keyof CheckoutTag>;
    };
  }
}
