import type { CheckoutCallbacks, CheckoutOptions, PayEventMap } from '../element/index.ts';

/** `paymentId` → `payment-id`. */
type KebabCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${KebabCase<Rest>}`
  : '';

/** The element's settings, without callbacks. */
export type CheckoutSettings = Omit<CheckoutOptions, keyof CheckoutCallbacks>;

/** Settings that have no attribute. */
type Objects = 'customer' | 'metadata' | 'appearance';

/** The attributes: `payment-id`, `amount` … Templates may set them before the tag is defined. */
export type CheckoutAttributes = {
  [Name in Exclude<keyof CheckoutSettings, Objects> as KebabCase<Name>]?: Name extends 'amount'
    ? number | string
    : string | undefined;
};

/** A handler for the listeners that frameworks make: the event's `detail` is the payment. */
type Listener<Callback extends keyof CheckoutCallbacks> = (
  event: PayEventMap[`pay-${Uncapitalize<Callback extends `on${infer Word}` ? Word : never>}` & keyof PayEventMap],
) => void;

/** `onSuccess`, `onFailure` … as attributes of the tag in a framework's template. */
export type CheckoutListeners = { [Callback in keyof CheckoutCallbacks]?: Listener<Callback> | undefined };

/** Everything that a framework's template may write on the tag, besides attributes of all HTML elements. */
export type CheckoutTag = CheckoutSettingsOrText & CheckoutListeners & CheckoutEventAttributes;

/** Properties, and attributes where both have the same name. */
type CheckoutSettingsOrText = Omit<CheckoutSettings, 'amount'> & CheckoutAttributes;

/** `onpay-success` … for frameworks that take any event's name after `on`. */
type CheckoutEventAttributes = { [Name in keyof PayEventMap as `on${Name}`]?: (event: PayEventMap[Name]) => void };
