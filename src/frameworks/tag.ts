import type { CheckoutCallbacks, CheckoutOptions, PayEventMap } from '../element/index.ts';

/** The name of an attribute: `paymentId` becomes `payment-id`. */
type KebabCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${KebabCase<Rest>}`
  : '';

/** The element's settings, without callbacks. */
export type CheckoutSettings = Omit<CheckoutOptions, keyof CheckoutCallbacks>;

/** Settings that have no attribute. */
type Objects = 'customer' | 'metadata' | 'appearance';

/** The attributes: `payment-id`, `amount` … */
export type CheckoutAttributes = {
  [Name in Exclude<keyof CheckoutSettings, Objects> as KebabCase<Name>]?: Name extends 'amount'
    ? number | string
    : string | undefined;
};

/** The type of a listener such as `onSuccess` in a template. `event.detail`: the payment; for `onError`, an error. */
type Listener<Callback extends keyof CheckoutCallbacks> = (
  event: PayEventMap[`pay-${Uncapitalize<Callback extends `on${infer Word}` ? Word : never>}` & keyof PayEventMap],
) => void;

/** `onSuccess`, `onFailure` … as attributes of the tag in a framework's template. */
export type CheckoutListeners = { [Callback in keyof CheckoutCallbacks]?: Listener<Callback> | undefined };

/** The settings and listeners that a framework's template may set, besides the attributes of every HTML element. */
export type CheckoutTag = CheckoutSettingsOrText & CheckoutListeners & CheckoutEventAttributes;

/** The properties and the attributes. `amount` may also be a text. */
type CheckoutSettingsOrText = Omit<CheckoutSettings, 'amount'> & CheckoutAttributes;

/** `onpay-success` … for frameworks that accept any event name after `on`. */
type CheckoutEventAttributes = { [Name in keyof PayEventMap as `on${Name}`]?: (event: PayEventMap[Name]) => void };
