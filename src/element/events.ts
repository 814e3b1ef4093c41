import type { Payment, PaymentQuote } from '../api/payment.ts';
import type { CheckoutMethod } from './checkout-selectors.ts';

/** What `pay-error` tells: a code of the service's catalogue, or one of the element's own (`secret_key_refused`, `offline` …). */
export interface PayErrorDetail {
  readonly code: string;
  readonly message: string;
}

/** The element's events with their details. All bubble and are composed. */
export interface PayEventDetails {
  /** The payment is loaded and can be paid. */
  'pay-ready': Payment;
  /** The service says something new about the payment. */
  'pay-change': Payment;
  /** The service says `completed`. Once for each element and payment, reloads included. */
  'pay-success': Payment;
  /** The payment is over without success: declined too often, or canceled. */
  'pay-failure': Payment;
  /** The payment's time is over. */
  'pay-expire': Payment;
  /** The payer chose another method. */
  'pay-method': { readonly method: CheckoutMethod };
  /** The price was quoted anew. */
  'pay-quote': { readonly quote: PaymentQuote; readonly previous: PaymentQuote };
  'pay-error': PayErrorDetail;
}

/** The event of a name: `event.detail` is typed. */
export type PayEvent<Name extends keyof PayEventDetails> = CustomEvent<PayEventDetails[Name]>;

declare global {
  interface HTMLElementEventMap extends PayEventMap {}
}

/** The element's events by name, for `addEventListener`. */
export type PayEventMap = { [Name in keyof PayEventDetails]: PayEvent<Name> };
