import { LitElement, type PropertyDeclaration } from 'lit';
import type { PaymentMethod } from '../api/payment.ts';
import type { Metadata } from '../api/schema.ts';
import { type Appearance, kebabCase } from './checkout-appearance.ts';
import type { CheckoutConfig, CheckoutCustomer } from './checkout-config.ts';
import type { CheckoutCallbacks } from './notices.ts';

/** Where the checkout stands: in the page, on the service's own page, or in a dialog over the page. */
export type CheckoutMode = 'embedded' | 'redirect' | 'popup';

/** Takes `card,bank_transfer` or `card bank_transfer` as an attribute. */
const listConverter = { fromAttribute: (text: string | null) => text?.split(/[\s,]+/).filter(Boolean) ?? [] };

/** Each attribute is called like its property: `apiKey` is `api-key`. */
const texts =
  'apiKey paymentId clientSecret proxyUrl baseUrl link currency settlementAsset customerEmail customerName redirectUrl theme locale mode';

const properties: Record<string, PropertyDeclaration> = {
  amount: { type: Number },
  paymentMethods: { attribute: 'payment-methods', converter: listConverter },
  customer: { attribute: false },
  metadata: { attribute: false },
  appearance: { attribute: false },
};
for (const name of texts.split(' ')) properties[name] = { attribute: kebabCase(name) };

/** The element's attributes, properties and callbacks, without anything it does. */
export class CheckoutProperties extends LitElement implements CheckoutCallbacks, CheckoutConfig {
  static override readonly properties = properties;

  /** Publishable key of the shop (`pk_…`). */
  declare apiKey: string | undefined;
  /** The payment to show; needs `clientSecret`. */
  declare paymentId: string | undefined;
  /** The secret that came with the payment. */
  declare clientSecret: string | undefined;
  /** Address of the shop's own proxy, in place of a key. */
  declare proxyUrl: string | undefined;
  /** Origin of the service; the script tag's unless told. */
  declare baseUrl: string | undefined;
  /** Id of a payment link (`plink_…`): pays it, with no key and no server code. What it says stands. */
  declare link: string | undefined;
  /** What is to be paid, in the currency's smallest unit. */
  declare amount: number | undefined;
  /** ISO 4217 code. */
  declare currency: string | undefined;
  /** What the shop receives: `USDC`, `XLM`, `CODE:ISSUER`. */
  declare settlementAsset: string | undefined;
  /** Ways to pay, in the order of the tabs. */
  declare paymentMethods: readonly PaymentMethod[];
  declare customerEmail: string | undefined;
  declare customerName: string | undefined;
  /** Who pays; without it the payer is asked. */
  declare customer: CheckoutCustomer | undefined;
  /** Kept with the payment for the shop. */
  declare metadata: Metadata | undefined;
  /** Where the payer goes after paying; http or https. */
  declare redirectUrl: string | undefined;
  /** `light`, `dark`, `auto` (the device's); unset: the page's own `color-scheme`. */
  declare theme: string | undefined;
  /** BCP 47 tag for amounts and dates; the page's language unless told. */
  declare locale: string | undefined;
  declare mode: CheckoutMode;
  /** `--pay-*` properties by name: `{ accent: '#0a7' }`. */
  declare appearance: Appearance | undefined;

  declare onSuccess: CheckoutCallbacks['onSuccess'];
  declare onFailure: CheckoutCallbacks['onFailure'];
  declare onExpire: CheckoutCallbacks['onExpire'];
  declare onChange: CheckoutCallbacks['onChange'];
  declare onReady: CheckoutCallbacks['onReady'];
  declare onError: CheckoutCallbacks['onError'];

  constructor() {
    super();
    this.paymentMethods = ['card', 'bank_transfer', 'crypto'];
    this.mode = 'embedded';
  }
}
