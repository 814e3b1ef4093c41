import type { LineItem } from '../../../api/payment.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales } from '../../../core/locale/locale-format.ts';
import type { Merchant } from '../merchant.ts';
import type { PageStrings } from './page-document.ts';
import { html, type Insert, type Markup } from './page-html.ts';

/** The merchant's logo, or the first letter of its name. `size` is in CSS pixels. */
export function payeeLogo({ name, branding }: Merchant, size: number): Markup {
  if (branding.logo !== null)
    return html`<img class="logo" src="${branding.logo}" alt="" width="${size}" height="${size}">`;
  const [first] = new Intl.Segmenter().segment(name);
  return html`<span class="logo letter" aria-hidden="true">${(first?.segment ?? '').toUpperCase()}</span>`;
}

/** The heading of a checkout page: the merchant's logo and name. */
export function payeeHeading(merchant: Merchant, strings: PageStrings): Markup {
  return html`<h1 aria-label="${fill(strings.payTo, { merchant: merchant.name })}">
      ${payeeLogo(merchant, 40)}
      <bdi class="name">${merchant.name}</bdi>
    </h1>`;
}

/** A link to the merchant's support page, else to its support address; null when it has neither. */
export function supportLink({
  supportEmail,
  supportUrl,
}: Pick<Merchant, 'supportEmail' | 'supportUrl'>): Markup | null {
  if (supportUrl) {
    return html`<a href="${supportUrl}" rel="noopener" target="_blank">${new URL(supportUrl).host}</a>`;
  }
  return supportEmail ? html`<a href="mailto:${encodeURI(supportEmail)}">${supportEmail}</a>` : null;
}

/** The notice that the payer returns to the shop. Empty until the payment is paid, then the page's script fills it. */
export function leavingNotice({ name: merchant }: Merchant, strings: PageStrings): Markup {
  return html`<p class="leaving" role="status" data-leaving="${fill(strings.leaving, { merchant })}" data-stay="${strings.stay}"></p>`;
}

/** The payer's order. `money` formats its amounts, which are in minor units. */
export interface Order {
  readonly items: readonly LineItem[];
  readonly total: number;
  readonly locale: string;
  readonly strings: PageStrings;
  readonly money: (amount: number) => string;
}

/** The lines of the order and their total; nothing without lines. */
export function orderPart(order: Order): Insert {
  const { items, total, strings, money } = order;
  if (items.length === 0) return null;
  return html`<section class="order" aria-label="${strings.order}">
    <ul>${items.map(item => orderLine(item, order))}</ul>
    <p class="total"><span>${strings.total}</span> <bdi>${money(total)}</bdi></p>
  </section>`;
}

function orderLine({ name, quantity, amount }: LineItem, { locale, strings, money }: Order): Markup {
  const count = new Intl.NumberFormat(formatLocales(locale)).format(quantity);
  const words = quantity === 1 ? name : fill(strings.times, { name, quantity: count });
  return html`<li><span dir="auto">${words}</span> <bdi>${money(amount)}</bdi></li>`;
}
