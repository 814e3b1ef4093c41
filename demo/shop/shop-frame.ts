import { largestQuantity } from '../catalogue.ts';
import { basket } from './basket.ts';
import { h, icon, icons } from './dom.ts';
import { lineList, type ShownLine, totals } from './order-lines.ts';
import { wayUrl } from './ways.ts';

/** Builds header, basket, footer and developer panel of a shop page. Returns its main element. */
export function shopFrame(panel: HTMLElement, panelToggle: HTMLElement): HTMLElement {
  const drawer = createBasketDrawer();
  const main = h('main', { id: 'main', class: 'main' });
  document.body.append(
    h('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    h(
      'div.shop',
      header(panelToggle, () => drawer.open()),
      main,
      footer(),
    ),
    panel,
    drawer.element,
  );
  return main;
}

function header(panelToggle: HTMLElement, openBasket: () => void): HTMLElement {
  const count = h('span', { class: 'count', 'data-count': '0' });
  const button = h(
    'button',
    { class: 'round-button basket-button', type: 'button', onclick: openBasket },
    icon(icons.basket),
    h('span.basket-word', 'Basket'),
    count,
  );
  const show = () => {
    count.textContent = String(basket.count());
    count.dataset['count'] = String(basket.count());
    button.setAttribute('aria-label', `Basket, ${basket.count() === 1 ? '1 item' : `${basket.count()} items`}`);
  };
  basket.onChange(show);
  show();
  return h(
    'header.header',
    h(
      'a',
      { class: 'brand', href: '/demo/' },
      h('span', { class: 'mark', 'aria-hidden': 'true' }, 'N'),
      'Nordlys Supply',
    ),
    h('div.header-tools', panelToggle, button),
  );
}

function footer(): HTMLElement {
  return h(
    'footer.footer',
    h('p', 'Nordlys Supply is a demo. Nothing is sold here and no money moves.'),
    h(
      'nav',
      { 'aria-label': 'For developers' },
      h('a', { href: '/demo/payouts' }, 'Pay 1,000 people'),
      h('a', { href: '/demo/wallet' }, 'Pocket wallet'),
      h('a', { href: '/demo/phone' }, 'Phone for mobile money'),
      h('a', { href: '/demo/wallet#shop' }, 'The shop’s takings'),
      h('a', { href: '/' }, 'The service'),
      h('a', { href: '/docs' }, 'Documentation'),
      h('a', { href: '/openapi.json' }, 'OpenAPI'),
    ),
  );
}

interface BasketDrawer {
  readonly element: HTMLDialogElement;
  open(): void;
}

function shownLines(): ShownLine[] {
  return basket.priced().lines.map(({ product, quantity, amount }) => {
    return { product: product.id, name: product.name, variant: product.variant, quantity, amount };
  });
}

function stepper({ product, name, quantity }: ShownLine): HTMLElement {
  const step = (word: string, path: string, next: number) =>
    h(
      'button',
      {
        type: 'button',
        class: 'step',
        'data-step': `${product} ${word}`,
        'aria-label': `${word} ${name}`,
        disabled: next > largestQuantity,
        onclick: () => basket.setQuantity(product, next),
      },
      icon(path),
    );
  return h(
    'div.stepper',
    step('One less', icons.minus, quantity - 1),
    h('span', { class: 'figure', 'aria-label': `${quantity} of ${name}` }, String(quantity)),
    step('One more', icons.plus, quantity + 1),
  );
}

function createBasketDrawer(): BasketDrawer {
  const content = h('div.drawer-content');
  const close = h(
    'button',
    { type: 'button', class: 'round-button', 'aria-label': 'Close the basket' },
    icon(icons.close),
  );
  const element = h(
    'dialog',
    { class: 'drawer', 'aria-labelledby': 'basket-title' },
    h('div.drawer-head', h('h2', { id: 'basket-title' }, 'Basket'), close),
    content,
  );
  close.addEventListener('click', () => element.close());
  // A click on the backdrop targets the dialog itself.
  element.addEventListener('click', event => event.target === element && element.close());

  function show(): void {
    const focused = document.activeElement?.getAttribute('data-step');
    content.replaceChildren(...(basket.count() === 0 ? [empty(element)] : filled()));
    if (focused) content.querySelector<HTMLElement>(`[data-step="${focused}"]`)?.focus();
  }
  basket.onChange(show);
  show();
  return { element, open: () => element.showModal() };
}

function empty(drawer: HTMLDialogElement): HTMLElement {
  return h(
    'div.empty',
    h('p', 'Nothing in it yet.'),
    h('button', { type: 'button', class: 'button quiet', onclick: () => drawer.close() }, 'Look around'),
  );
}

function filled(): HTMLElement[] {
  return [
    lineList(shownLines(), stepper),
    h('div.drawer-foot', totals(basket.priced()), h('a', { class: 'button', href: wayUrl('proxy') }, 'Check out')),
  ];
}
