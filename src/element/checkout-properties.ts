import { LitElement, type PropertyDeclaration } from 'lit';
import type { PaymentMethod } from '../api/payment.ts';
import type { Metadata } from '../api/schema.ts';
import { type Appearance, kebabCase } from './appearance.ts';
import type { CheckoutCallbacks } from './events.ts';
import type { CheckoutConfig, CheckoutCustomer } from './state/checkout-config.ts';

/** Where the checkout is shown: in the page, on the service's hosted page, or in a dialog over the page. */
export type CheckoutMode = 'embedded' | 'redirect' | 'popup';

/** Reads the attribute `card,bank_transfer` or `card bank_transfer`. */
const listConverter = { fromAttribute: (text: string | null) => text?.split(/[\s,]+/).filter(Boolean) ?? [] };

/** Text properties. The attribute of `apiKey` is `api-key`. */
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

/** The element's attributes, properties and callbacks. */
export class CheckoutProperties extends LitElement implements CheckoutCallbacks, CheckoutConfig {
  static override readonly properties = properties;

  /** Publishable key of the shop (`pk_…`). */
  declare apiKey: string | undefined;
  /** The payment to show; needs `clientSecret`. */
  declare paymentId: string | undefined;
  /** The payment's client secret. */
  declare clientSecret: string | undefined;
  /** Address of the shop's own proxy, instead of a key. */
  declare proxyUrl: string | undefined;
  /** Origin of the service; by default that of the script tag. */
  declare baseUrl: string | undefined;
  /** Id of a payment link (`plink_…`) to pay. It needs no key and no server code, and decides price and currency. */
  declare link: string | undefined;
  /** Amount in minor units of the currency. */
  declare amount: number | undefined;
  /** ISO 4217 code. */
  declare currency: string | undefined;
  /** Asset that the shop receives: `USDC`, `XLM`, `CODE:ISSUER`. */
  declare settlementAsset: string | undefined;
  /** Payment methods, in the order of the tabs. */
  declare paymentMethods: readonly PaymentMethod[];
  declare customerEmail: string | undefined;
  declare customerName: string | undefined;
  /** The payer; without it the element asks. */
  declare customer: CheckoutCustomer | undefined;
  /** Stored with the payment for the shop. */
  declare metadata: Metadata | undefined;
  /** Page to which the payer returns; http or https. */
  declare redirectUrl: string | undefined;
  /** `light`, `dark` or `auto` (the device's setting). Unset, the page's own `color-scheme` applies. */
  declare theme: string | undefined;
  /** BCP 47 tag for language, amounts and dates; by default that of the payment or the page. */
  declare locale: string | undefined;
  declare mode: CheckoutMode;
  /** `--pay-*` properties by name, for example `{ accent: '#0a7' }`. */
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
