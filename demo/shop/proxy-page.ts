import { checkoutPlace } from './checkout-frame.ts';
import { h } from './dom.ts';
import { settleOrder } from './order-memory.ts';

/** Checkout with the element from npm and the shop's own proxy: neither key nor price is in the page. */
export async function showProxyCheckout(main: HTMLElement): Promise<void> {
  const place = await checkoutPlace(main, 'proxy');
  if (!place) return;
  await import('../../src/element/define.ts');
  const element = h('pay-checkout', { 'proxy-url': '/demo/api/pay', 'payment-methods': 'card bank_transfer' });
  element.metadata = { order: place.order.number };
  element.addEventListener('pay-success', () => settleOrder(place.order));
  place.pay.append(element);
}
