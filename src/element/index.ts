/**
 * `pay-checkout`: the element's class and its types. This import does not register the tag; `pay-checkout/define` does.
 */
export type * from '../api/objects.ts';
export type { Appearance, CheckoutTheme } from './appearance.ts';
export type { CheckoutOptions } from './checkout-options.ts';
export type { CheckoutMode } from './checkout-properties.ts';
export type { CheckoutCallbacks, PayErrorDetail, PayEvent, PayEventDetails, PayEventMap } from './events.ts';
export { PayCheckout } from './pay-checkout.ts';
export { PayRamp } from './ramp/pay-ramp.ts';
export type { RampSettings } from './ramp/ramp-element.ts';
export type { RampCallbacks, RampEvent, RampEventDetails } from './ramp/ramp-events.ts';
export type { CheckoutCustomer } from './state/checkout-config.ts';
