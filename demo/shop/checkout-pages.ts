import type { PayCheckoutGlobal } from '../../src/element/script.ts';
import { settleOrder } from './basket.ts';
import { checkoutPlace, failure } from './checkout-frame.ts';
import { h } from './dom.ts';
import { priceText } from './order-lines.ts';
import { shopApi } from './shop-api.ts';

/** Checkout with the script tag and the publishable key. The page sets the amount. */
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
    paymentMethods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
    metadata: { order: order.number },
    redirectUrl: `${location.origin}/demo/order?order=${order.number}`,
    onSuccess: () => settleOrder(order),
  });
}

/** Checkout with the element from npm and the shop's proxy. The page holds no key and no price. */
export async function showProxyCheckout(main: HTMLElement): Promise<void> {
  const place = await checkoutPlace(main, 'proxy');
  if (!place) return;
  await import('../../src/element/define.ts');
  const element = h('pay-checkout', {
    'proxy-url': '/demo/api/pay',
    'payment-methods': 'card bank_transfer mobile_money',
  });
  element.metadata = { order: place.order.number };
  element.addEventListener('pay-success', () => settleOrder(place.order));
  place.pay.append(element);
}

/** Checkout on the service's hosted page, whose address the shop's server returns for the payment. */
export async function showRedirectCheckout(main: HTMLElement): Promise<void> {
  const place = await checkoutPlace(main, 'redirect');
  if (!place) return;
  const { order, pay } = place;
  const email = field('email', 'E-mail', { type: 'email', autocomplete: 'email', placeholder: 'For the receipt' });
  const name = field('name', 'Name', { type: 'text', autocomplete: 'name', placeholder: 'As you like to be called' });
  const said = h('p', { class: 'note bad', role: 'alert', hidden: true });
  const button = h('button', { class: 'button', type: 'submit' }, `Go and pay ${priceText(order.total)}`);
  const form = h('form.contact', h('h2', 'Who is it for?'), email.row, name.row, said, button);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    button.disabled = true;
    said.hidden = true;
    try {
      const customer = { email: email.input.value.trim(), name: name.input.value.trim() };
      const { checkout_url: address } = await shopApi.checkout(order.number, customer);
      location.assign(address);
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : 'That did not work.';
      said.hidden = false;
      button.disabled = false;
    }
  });
  pay.append(form);
  // The back button restores this page from memory, but the order may be paid by now.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
}

function field(id: string, label: string, attributes: Readonly<Record<string, string>>) {
  const input = h('input', { id, name: id, required: true, ...attributes });
  return { input, row: h('div.field', h('label', { for: id }, label), input) };
}
