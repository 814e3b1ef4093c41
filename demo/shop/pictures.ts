import { h } from './dom.ts';

const urls: Readonly<Record<string, string>> = {
  merino: new URL('../pictures/merino.svg', import.meta.url).href,
  mug: new URL('../pictures/mug.svg', import.meta.url).href,
  blanket: new URL('../pictures/blanket.svg', import.meta.url).href,
  beanie: new URL('../pictures/beanie.svg', import.meta.url).href,
  lantern: new URL('../pictures/lantern.svg', import.meta.url).href,
  rucksack: new URL('../pictures/rucksack.svg', import.meta.url).href,
};

/** The picture of a product. It has no alternative text, because the product's name is always next to it. */
export function picture(product: string): HTMLImageElement {
  return h('img', { src: urls[product] ?? '', alt: '', width: 400, height: 400, class: 'picture', decoding: 'async' });
}

export const heroUrl = new URL('../pictures/hero.svg', import.meta.url).href;
