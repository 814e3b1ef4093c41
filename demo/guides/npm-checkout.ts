/**
 * The element from npm, in a page of your own: your server has made the payment and hands over its id and secret.
 * Bundle it with whatever you use. In a project of your own the import reads `pay-checkout/define`.
 */
import '../../src/element/define.ts';

/** What your server tells the page of the payment it has made. */
export interface PaymentForPage {
  readonly id: string;
  readonly client_secret: string;
}

/** Shows the checkout of a payment and resolves, once, when the service says that it is paid. */
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
