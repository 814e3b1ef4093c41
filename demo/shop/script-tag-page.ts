import type { PayCheckoutGlobal } from '../../src/element/script.ts';
import { checkoutPlace, failure } from './checkout-frame.ts';
import { settleOrder } from './order-memory.ts';
import { shopApi } from './shop-api.ts';

/** Checkout with the script tag of the page and the publishable key; the page itself says what is to be paid. */
export async function showScriptTagCheckout(main: HTMLElement): Promise<void> {
  const place = await checkoutPlace(main, 'script-tag');
  if (!place) return;
  const payCheckout: PayCheckoutGlobal | undefined = Reflect.get(globalThis, 'PayCheckout');
  if (!payCheckout) {
    place.pay.append(failure(new Error('The script of the payment service did not load.')));
    return;
  }
  const { order } = place;
  const { publishable_key: apiKey } = await shopApi.facts();
  payCheckout.mount('#pay', {
    apiKey,
    amount: order.total,
    currency: order.currency,
    settlementAsset: 'USDC',
    paymentMethods: ['card', 'bank_transfer', 'crypto'],
    metadata: { order: order.number },
    redirectUrl: `${location.origin}/demo/order?order=${order.number}`,
    onSuccess: () => settleOrder(order),
  });
}
