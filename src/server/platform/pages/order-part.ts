import type { LineItem } from '../../../api/line-item.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales } from '../../../core/locale/locale-format.ts';
import type { PageStrings } from './page-document.ts';
import { html, type Insert, type Markup } from './page-html.ts';

/** The payer's order. `money` formats its amounts, which are in minor units. */
export interface Order {
  readonly lines: readonly LineItem[];
  readonly total: number;
  /** Received part of an open payment. Otherwise 0. */
  readonly received: number;
  readonly locale: string;
  readonly strings: PageStrings;
  readonly money: (amount: number) => string;
}

/** Types of the rows between subtotal and total, in the order of the page. */
const extraTypes = ['discount', 'shipping', 'tax'] as const;

const typeOf = ({ type = 'item' }: LineItem) => type;

/**
 * The items of the order, and the sums from the subtotal to the remaining amount. Null without lines. On phones, a
 * button shows and hides the order by the page's script.
 */
export function orderPart(order: Order): Insert {
  const { lines, strings } = order;
  if (lines.length === 0) return null;
  const items = lines.filter(line => typeOf(line) === 'item');
  const hasPictures = items.some(({ image }) => image !== undefined);
  return html`<section class="order" aria-label="${strings.order}" data-total="${String(order.total)}">
    <button class="fold" type="button" aria-expanded="false" aria-controls="order-content">
      <span>${strings.order}${countText(items, order)}</span>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="m6 9 6 6 6-6"></path></svg>
    </button>
    <div id="order-content">
      ${items.length > 0 && html`<ul>${items.map(item => itemRow(item, hasPictures, order))}</ul>`}
      ${sums(items, order)}
    </div>
  </section>`;
}

function countText(items: readonly LineItem[], { locale, strings }: Order): string {
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (count === 0) return '';
  return ` · ${count === 1 ? strings.oneItem : fill(strings.items, { count: numberText(count, locale) })}`;
}

const numberText = (count: number, locale: string) => new Intl.NumberFormat(formatLocales(locale)).format(count);

function itemRow(item: LineItem, hasPictures: boolean, { locale, strings, money }: Order): Markup {
  const { name, quantity, amount, description } = item;
  const words = quantity === 1 ? name : fill(strings.times, { name, quantity: numberText(quantity, locale) });
  return html`<li>
    ${hasPictures && html`<span class="picture">${picture(item)}</span>`}
    <span class="name"><bdi>${words}</bdi>${description && html`<small><bdi>${description}</bdi></small>`}</span>
    <bdi>${money(amount)}</bdi>
  </li>`;
}

/**
 * The shop's picture of an item. `alt` is empty, because the name is beside the picture. The picture's host does not
 * learn the page's URL.
 */
function picture({ image }: LineItem): Insert {
  if (image === undefined) return null;
  return html`<img src="${image}" alt="" width="56" height="56" loading="lazy" decoding="async" referrerpolicy="no-referrer">`;
}

/** Subtotal, discounts, shipping, tax and total. After a partial payment, also the received and remaining amounts. */
function sums(items: readonly LineItem[], { lines, total, received, strings, money }: Order): Markup {
  const extras = extraTypes.flatMap(type => lines.filter(line => typeOf(line) === type));
  const subtotal = items.reduce((sum, { amount }) => sum + amount, 0);
  const isPart = received > 0 && received < total;
  return html`<dl>
    ${extras.length > 0 && items.length > 0 && row('', strings.subtotal, money(subtotal))}
    ${extras.map(({ name, amount }) => row('', name, money(amount)))}
    ${row('total', strings.total, money(total))}
    ${row('received', strings.received, isPart ? money(-received) : '', !isPart)}
    ${row('due', strings.due, isPart ? money(total - received) : '', !isPart)}
  </dl>`;
}

function row(kind: string, name: string, amount: string, isHidden = false): Markup {
  return html`<div class="${kind}" ${isHidden && html`hidden`}><dt><bdi>${name}</bdi></dt> <dd><bdi>${amount}</bdi></dd></div>`;
}
