import { amountNotes } from '../../../core/locale/amount-notes.ts';
import { lengthClass } from '../../../core/locale/length-class.ts';
import { fill } from '../../../core/locale/locale.ts';
import type { Merchant } from '../merchant.ts';
import type { PageStrings } from './page-document.ts';
import { html, type Insert, type Markup } from './page-html.ts';

/** The merchant's logo, or the first letter of its name. `size` is in CSS pixels. */
export function payeeLogo({ name, branding }: Merchant, size: number): Markup {
  const [first] = new Intl.Segmenter().segment(name);
  const letter = (first?.segment ?? '').toUpperCase();
  if (branding.logo === null) return html`<span class="logo letter" aria-hidden="true">${letter}</span>`;
  return html`<img class="logo" src="${branding.logo}" alt="" width="${size}" height="${size}" data-letter="${letter}">`;
}

/** The heading of a checkout page: the merchant's logo and name. */
export function payeeHeading(merchant: Merchant, strings: PageStrings): Markup {
  return html`<h1 aria-label="${fill(strings.payTo, { merchant: merchant.name })}">
      ${payeeLogo(merchant, 40)}
      <bdi class="name">${merchant.name}</bdi>
    </h1>`;
}

/** An amount in large type, with its currency's code and a note. */
export function largeAmount({ amount, currency, note, kind = '', attributes }: LargeAmount): Markup {
  const notes = amountNotes(amount, currency, note || '').map(text => html` <small>${text}</small>`);
  return html`<p class="amount ${kind} ${lengthClass(amount)}" ${attributes}><bdi>${amount}</bdi>${notes}</p>`;
}

interface LargeAmount {
  readonly amount: string;
  readonly currency: string;
  readonly note: string | false;
  /** A further class. */
  readonly kind?: string;
  /** Data for the page's script. */
  readonly attributes?: Insert;
}

/** A link to the merchant's support page, otherwise to its support address. Null without both. */
export function supportLink({
  supportEmail,
  supportUrl,
}: Pick<Merchant, 'supportEmail' | 'supportUrl'>): Markup | null {
  if (supportUrl) {
    return html`<a href="${supportUrl}" rel="noopener" target="_blank">${new URL(supportUrl).host}</a>`;
  }
  return supportEmail ? html`<a href="mailto:${encodeURI(supportEmail)}">${supportEmail}</a>` : null;
}

/** The notice that the payer returns to the shop. It is empty; the page's script fills it after the payment. */
export function leavingNotice({ name: merchant }: Merchant, strings: PageStrings): Markup {
  return html`<p class="leaving" role="status" data-leaving="${fill(strings.leaving, { merchant })}" data-stay="${strings.stay}"></p>`;
}
