import { basket } from './basket.ts';
import { createBasketDrawer } from './basket-drawer.ts';
import { h, icon, icons } from './dom.ts';

/** Builds what every page of the shop has: header, basket, footer, and the developer panel beside it. Returns the part in between. */
export function shopFrame(panel: HTMLElement, panelToggle: HTMLElement): HTMLElement {
  const drawer = createBasketDrawer();
  const main = h('main', { id: 'main', class: 'main' });
  document.body.append(
    h('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    h(
      'div',
      { class: 'shop' },
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
    h('span', { class: 'basket-word' }, 'Basket'),
    count,
  );
  const show = () => {
    count.textContent = String(basket.count());
    count.dataset['count'] = String(basket.count());
    button.setAttribute('aria-label', `Basket, ${basket.count() === 1 ? '1 thing' : `${basket.count()} things`}`);
  };
  basket.onChange(show);
  show();
  return h(
    'header',
    { class: 'header' },
    h(
      'a',
      { class: 'brand', href: '/demo/' },
      h('span', { class: 'mark', 'aria-hidden': 'true' }, 'N'),
      'Nordlys Supply',
    ),
    h('div', { class: 'header-tools' }, panelToggle, button),
  );
}

function footer(): HTMLElement {
  return h(
    'footer',
    { class: 'footer' },
    h('p', {}, 'Nordlys Supply is a demo. Nothing is sold here and no money moves.'),
    h(
      'nav',
      { 'aria-label': 'For developers' },
      h('a', { href: '/demo/wallet' }, 'Pocket wallet'),
      h('a', { href: '/demo/wallet#shop' }, 'The shop’s takings'),
      h('a', { href: '/' }, 'The service'),
      h('a', { href: '/docs' }, 'API reference'),
      h('a', { href: '/openapi.json' }, 'OpenAPI'),
    ),
  );
}
