import type { LitElement } from 'lit';
import type { PayCheckout } from './pay-checkout.ts';

/** Properties of the element: `apiKey`, `paymentId`, `amount`, `onSuccess` … */
export type CheckoutOptions = Partial<
  Omit<PayCheckout, keyof LitElement | 'open' | 'close' | 'refresh' | 'restart' | 'confirm'>
>;
