import type { PropertyDeclaration } from 'lit';
import { kebabCase } from './appearance.ts';

/** Where the checkout is shown: in the page, on the service's hosted page, or in a dialog over the page. */
export type CheckoutMode = 'embedded' | 'redirect' | 'popup';

/** Reads the attribute as a list: `card,bank_transfer` or `card bank_transfer`. */
const listConverter = { fromAttribute: (text: string | null) => text?.split(/[\s,]+/).filter(Boolean) ?? [] };

/** Names of the text properties. */
export const texts =
  'apiKey paymentId clientSecret proxyUrl baseUrl link currency settlementAsset customerEmail customerName redirectUrl theme locale mode'.split(
    ' ',
  );

/** The element's properties with their attributes. */
export const properties: Record<string, PropertyDeclaration> = {
  amount: { type: Number },
  paymentMethods: { attribute: 'payment-methods', converter: listConverter },
  customer: { attribute: false },
  metadata: { attribute: false },
  appearance: { attribute: false },
  opened: { converter: { fromAttribute: text => text && JSON.parse(text) } },
};
for (const name of texts) properties[name] = { attribute: kebabCase(name) };
