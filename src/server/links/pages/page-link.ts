import type { LinkState, PublicPaymentLink } from '../../../api/link.ts';
import type { LineItem } from '../../../api/payment.ts';
import { lengthClass } from '../../../core/locale/length-class.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales, moneyText } from '../../../core/locale/locale-format.ts';
import { momentText } from '../../../core/locale/moment-text.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { type PageStrings, pageDocument, pageLanguage } from '../../platform/pages/page-document.ts';
import { html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import type { PageFiles } from '../../platform/pages/static-files.ts';

/** What the page of a payment link shows. */
export interface LinkPageView {
  readonly link: PublicPaymentLink;
  readonly merchant: Merchant;
  /** The merchant's clock. */
  readonly now: Date;
  readonly strings: PageStrings;
  readonly linkStrings: StringTables['link'];
  /** Files of the hosted checkout and of this page. */
  readonly files: readonly PageFiles[];
  /** Path of the element's script. */
  readonly elementScript: string;
  /** Path of the style sheet with the merchant's colours; null when the merchant has none of its own. */
  readonly brandStyles: string | null;
}

const dayMs = 86_400_000;

/** What the parts of the page share. */
interface Context {
  readonly view: LinkPageView;
  readonly locale: string;
  readonly money: (amount: number) => string;
}

/** The page of a link: payee, amount, order and the element that pays it, or the reason why it cannot be paid. */
export function linkPage(view: LinkPageView): Markup {
  const { link, merchant, strings, linkStrings } = view;
  const locale = link.locale ?? merchant.locale;
  const context = { view, locale, money: (amount: number) => moneyText(BigInt(amount), link.currency, locale) };
  const amount = fixedAmount(context);
  const title = amount === null ? linkStrings.title : strings.title;
  return pageDocument({
    language: pageLanguage(locale),
    title: fill(title, { merchant: merchant.name, amount: amount ?? '' }),
    icon: merchant.branding.icon,
    styles: [...view.files.flatMap(({ styles }) => styles), ...(view.brandStyles === null ? [] : [view.brandStyles])],
    scripts: html`<script src="${view.elementScript}" defer></script>
      ${view.files.map(({ script }) => html`<script type="module" src="${script}"></script>`)}`,
    body: html`<main class="page" data-state="${link.state}" data-font="${merchant.branding.font}" data-border="${merchant.branding.border_style}">
      ${payeeHeader(context)} ${paymentPart(context)} ${orderPart(context)} ${footer(context)}
    </main>`,
  });
}

/** The amount as text; null when the payer chooses it. */
function fixedAmount({ view: { link }, money }: Context): string | null {
  return link.amount === null || link.choices.length > 0 ? null : money(link.amount);
}

function payeeHeader(context: Context): Markup {
  const { link, merchant, strings, linkStrings } = context.view;
  const { logo } = merchant.branding;
  const reference = link.reference && fill(strings.reference, { reference: link.reference });
  const about = [reference, link.description, endText(context)];
  const amount = fixedAmount(context);
  const isOpen = link.state === 'open';
  return html`<header class="payee">
    <h1 aria-label="${fill(strings.payTo, { merchant: merchant.name })}">
      ${
        logo
          ? html`<img class="logo" src="${logo}" alt="" width="40" height="40">`
          : html`<span class="logo letter" aria-hidden="true">${firstLetter(merchant.name)}</span>`
      }
      <bdi class="name">${merchant.name}</bdi>
    </h1>
    <p class="amount ${lengthClass(amount ?? '')}" data-due="${strings.stillDue}" ${amount === null && html`hidden`}><bdi>${amount}</bdi></p>
    ${amount === null && isOpen && choice(context, linkStrings)}
    ${about.map(text => text && html`<p class="about" dir="auto">${text}</p>`)}
  </header>`;
}

/** The end of the link, shown during its last day. */
function endText(context: Context): string | null {
  const { link, now, linkStrings } = context.view;
  if (link.state !== 'open' || link.expires_at === null) return null;
  if (Date.parse(link.expires_at) - now.getTime() > dayMs) return null;
  return fill(linkStrings.until, { date: dateText(link.expires_at, context) });
}

/** The remaining amount of a link paid in parts; else the sentence that the payer chooses. */
function choice({ view: { link, strings }, money }: Context, { yourChoice }: StringTables['link']): Markup {
  if (link.amount === null) return html`<p class="amount choice words">${yourChoice}</p>`;
  const isPart = link.amount_total !== null && link.amount < link.amount_total;
  const amount = money(link.amount);
  return html`<p class="amount choice ${lengthClass(amount)}"><bdi>${amount}</bdi>${
    isPart && html` <small>${strings.stillDue}</small>`
  }</p>`;
}

function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter().segment(name);
  return (first?.segment ?? '').toUpperCase();
}

/** The element. On a closed link it stays hidden unless the payer has a payment of the link in this browser tab. */
function paymentPart(context: Context): Markup {
  const { link, strings } = context.view;
  const isOpen = link.state === 'open';
  return html`<section class="payment" aria-label="${strings.payment}">
    ${link.state === 'open' ? null : closedCard(context, link.state)}
    <pay-checkout
      link="${link.id}"
      ${formSize(context)}
      locale="${context.locale}"
      theme="auto"
      ${!isOpen && html`data-over hidden`}
    ></pay-checkout>
    <noscript>${isOpen && html`<p class="no-script">${strings.noScript}</p>`}</noscript>
    ${leavingNotice(context)}
  </section>`;
}

/** The size of the element's form, so that the style sheet can reserve its space. */
function formSize({ view: { link }, money }: Context): Markup {
  const [choice] = link.choices;
  if (choice === undefined) return html`data-form="price"`;
  const { presets, min, max } = choice;
  const longest = Math.max(0, ...presets.map(preset => money(preset).replace(/\p{Cf}/gu, '').length));
  const columns = longest > 11 ? 1 : longest > 8 ? 2 : 3;
  const rows = Math.min(3, Math.ceil(presets.length / columns));
  return html`data-form="sum" data-rows="${rows}" ${(max !== null || (min !== null && min > 1)) && html`data-range`}`;
}

/** Why the link cannot be paid, and what to do. */
function closedCard(context: Context, state: Exclude<LinkState, 'open'>): Markup {
  const { link, merchant, linkStrings: words } = context.view;
  const texts = {
    used: [words.usedTitle, words.usedText],
    expired: [words.expiredTitle, words.expiredText],
    disabled: [words.disabledTitle, words.disabledText],
    not_started: [words.notStartedTitle, words.notStartedText],
  } as const;
  const [title, text] = texts[state];
  const moment = state === 'not_started' ? link.starts_at : link.expires_at;
  const date = moment === null ? '' : dateText(moment, context);
  return html`<div class="card closed" role="status">
    <h2><span class="mark ${state}" aria-hidden="true"></span> ${title}</h2>
    <p>${fill(text, { merchant: merchant.name, date })}</p>
  </div>`;
}

/** A moment in the merchant's time zone. */
function dateText(moment: string, { view: { merchant }, locale }: Context): string {
  return momentText(moment, formatLocales(locale), merchant.timezone);
}

/** Empty until the payment is paid; the script then writes into it. */
function leavingNotice({ view: { merchant, strings } }: Context): Markup {
  const leaving = fill(strings.leaving, { merchant: merchant.name });
  return html`<p class="leaving" role="status" data-leaving="${leaving}" data-stay="${strings.stay}"></p>`;
}

function orderPart(context: Context): Insert {
  const { link, strings } = context.view;
  if (link.line_items.length === 0) return null;
  const total = link.line_items.reduce((sum, { amount }) => sum + amount, 0);
  return html`<section class="order" aria-label="${strings.order}">
    <ul>${link.line_items.map(item => line(item, context))}</ul>
    <p class="total"><span>${strings.total}</span> <bdi>${context.money(total)}</bdi></p>
  </section>`;
}

function line({ name, quantity, amount }: LineItem, { view, locale, money }: Context): Markup {
  const count = new Intl.NumberFormat(formatLocales(locale)).format(quantity);
  const words = quantity === 1 ? name : fill(view.strings.times, { name, quantity: count });
  return html`<li><span dir="auto">${words}</span> <bdi>${money(amount)}</bdi></li>`;
}

/** The merchant's support, for payers who cannot go on here. */
function footer({ view: { merchant, strings } }: Context): Markup {
  const { name, supportEmail, supportUrl } = merchant;
  const way = supportUrl
    ? html`<a href="${supportUrl}" rel="noopener" target="_blank">${new URL(supportUrl).host}</a>`
    : supportEmail && html`<a href="mailto:${encodeURI(supportEmail)}">${supportEmail}</a>`;
  return html`<footer>${strings.help} ${way || fill(strings.helpShop, { merchant: name })}</footer>`;
}
