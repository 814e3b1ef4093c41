import { type Product, products } from '../catalogue.ts';
import { basket } from './basket.ts';
import { h } from './dom.ts';
import { priceText } from './order-lines.ts';
import { heroUrl, picture } from './pictures.ts';

/** The front page with all products. */
export function showProducts(main: HTMLElement): void {
  const said = h('p', { class: 'said', 'aria-live': 'polite' });
  main.append(
    h(
      'section.hero',
      h('img', { class: 'hero-picture', src: heroUrl, alt: '', width: 1200, height: 480 }),
      h(
        'div.hero-text',
        h('h1', 'Made for the long dark'),
        h('p', 'Six things we use ourselves, from the first frost to the last.'),
      ),
    ),
    h('h2.shelf-title', 'On the shelf'),
    h('ul.shelf', ...products.map(product => card(product, said))),
    said,
  );
}

function card(product: Product, said: HTMLElement): HTMLElement {
  const button = h('button', { type: 'button', class: 'button small' }, 'Add');
  button.setAttribute('aria-label', `Add ${product.name} to the basket`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.addEventListener('click', () => {
    basket.add(product.id);
    said.textContent = `${product.name} is in the basket.`;
    button.textContent = 'Added';
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = 'Add';
    }, 1600);
  });
  return h(
    'li.card',
    h('div.card-picture', picture(product.id)),
    h('div.card-text', h('h3', product.name), h('p.second', product.variant), h('p.about', product.about)),
    h('div.card-foot', h('span.price.figure', priceText(product.price)), button),
  );
}
