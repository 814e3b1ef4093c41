import type { OrderView } from '../server/order-view.ts';
import type { Way } from '../server/shop-orders.ts';
import { basket, meantOrder, rememberOrder, settleOrder } from './basket.ts';
import { h, icon, icons } from './dom.ts';
import { lineList, priceText, totals } from './order-lines.ts';
import { shopApi } from './shop-api.ts';
import { wayStories, wayUrl } from './ways.ts';

/** An order, and the element that contains its payment form. */
export interface CheckoutPlace {
  readonly order: OrderView;
  readonly pay: HTMLElement;
}

/** Builds a checkout page for the basket. Null when nothing is left to pay, and after an error. */
export async function checkoutPlace(main: HTMLElement, way: Way): Promise<CheckoutPlace | null> {
  const pay = h('section', { class: 'pay', id: 'pay', 'aria-label': 'Payment' });
  try {
    const known = await knownOrder(way);
    if (known?.paid || basket.count() === 0) {
      if (known?.paid) settleOrder(known);
      main.append(known?.paid ? paidCheckout(known) : emptyCheckout());
      return null;
    }
    const order = known ?? (await newOrder(way));
    main.append(
      h('a', { class: 'back', href: '/demo/' }, icon(icons.back), 'Keep shopping'),
      h('h1.page-title', 'Checkout'),
      waySwitch(way),
      h('div.checkout', summary(order), h('div.pay-column', pay, testCards(), testWallet(), testPhone())),
      codeOf(way),
    );
    return { order, pay };
  } catch (error) {
    main.append(failure(error));
    return null;
  }
}

/** An error message with a link to the shop. */
export function failure(error: unknown): HTMLElement {
  const text = error instanceof Error ? error.message : 'That did not work.';
  return h('p', { class: 'note bad', role: 'alert' }, text, ' ', h('a', { href: '/demo/' }, 'Back to the shop'));
}

async function knownOrder(way: Way): Promise<OrderView | null> {
  const number = meantOrder(way);
  return number === null ? null : await shopApi.read(number, null).catch(() => null);
}

async function newOrder(way: Way): Promise<OrderView> {
  const order = await shopApi.order(way);
  rememberOrder(order);
  return order;
}

function paidCheckout({ number, total, currency }: OrderView): HTMLElement {
  return h(
    'div.empty',
    h('h1.page-title', 'This order is paid'),
    h('p', `Order ${number} over ${priceText(total, currency)} is paid. There is nothing more to pay.`),
    h('a', { class: 'button', href: `/demo/order?order=${number}` }, 'See the order'),
  );
}

function emptyCheckout(): HTMLElement {
  return h(
    'div.empty',
    h('h1.page-title', 'Your basket is empty'),
    h('p', 'Put something into it first; then you can try all three ways to pay.'),
    h('a', { class: 'button', href: '/demo/' }, 'To the shelf'),
  );
}

function waySwitch(way: Way): HTMLElement {
  const story = wayStories.find(candidate => candidate.way === way);
  return h(
    'div.ways',
    h('p', { class: 'ways-label', id: 'ways-label' }, 'How this shop takes the payment'),
    h(
      'nav',
      { class: 'way-tabs', 'aria-labelledby': 'ways-label' },
      ...wayStories.map(({ way: other, name, line }) =>
        h(
          'a',
          { href: wayUrl(other), class: 'way-tab', 'aria-current': other === way ? 'page' : null },
          h('strong', name),
          h('span', line),
        ),
      ),
    ),
    h('p.second.way-when', story?.when ?? ''),
  );
}

function summary(order: OrderView): HTMLElement {
  return h(
    'section',
    { class: 'summary', 'aria-label': 'Your order' },
    h('p.second', `Order ${order.number}`),
    lineList(order.lines),
    totals(order),
  );
}

const cards = [
  ['4242 4242 4242 4242', 'is paid'],
  ['4000 0025 0000 3155', 'asks for 3-D Secure'],
  ['4000 0000 0000 0002', 'is declined'],
] as const;

function testCards(): HTMLElement {
  return h(
    'details',
    { class: 'test-cards', open: true },
    h('summary', 'Cards to try'),
    h('dl', ...cards.map(([number, what]) => h('div', h('dt.code', number), h('dd.second', what)))),
    h('p.second', 'Any date in the future, any security code, any name.'),
  );
}

function testWallet(): HTMLElement {
  return h(
    'div.test-wallet',
    h('p', h('strong', 'A wallet to try'), ' It holds test money and pays by scanning, or by pasting the link.'),
    h('a', { class: 'button quiet', href: '/demo/wallet', target: '_blank' }, 'Open the pocket wallet'),
  );
}

function testPhone(): HTMLElement {
  return h(
    'div.test-wallet',
    h(
      'p',
      h('strong', 'A phone to try'),
      ' It shows the prompts of mobile money, for every number that you type here.',
    ),
    h('a', { class: 'button quiet', href: '/demo/phone', target: '_blank' }, 'Open the phone'),
  );
}

function codeOf(way: Way): HTMLElement {
  const story = wayStories.find(candidate => candidate.way === way);
  return h(
    'details.code-note',
    h('summary', icon(icons.code), 'What the shop writes for this'),
    h('pre', { class: 'code', tabindex: 0 }, story?.code ?? ''),
  );
}
