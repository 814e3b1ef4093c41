/**
 * The element from npm, in your own page. Your server has created the payment and passes its id and client secret.
 * Use any bundler. In your own project the import is `pay-checkout/define`.
 */
import '../../src/element/define.ts';

/** The payment, as your server passes it to the page. */
export interface PaymentForPage {
  readonly id: string;
  readonly client_secret: string;
}

/** Shows the checkout of a payment. Resolves with the payment's id when the service reports it as paid. */
export function payIn(place: HTMLElement, serviceUrl: string, payment: PaymentForPage): Promise<string> {
  const checkout = document.createElement('pay-checkout');
  checkout.baseUrl = serviceUrl;
  checkout.paymentId = payment.id;
  checkout.clientSecret = payment.client_secret;
  checkout.appearance = { accent: '#14181d' };
  return new Promise(resolve => {
    checkout.onSuccess = paid => resolve(paid.id);
    place.append(checkout);
  });
}
