import type { LinkState, PublicPaymentLink } from '../../../api/link.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales, moneyText } from '../../../core/locale/locale-format.ts';
import { momentText } from '../../../core/locale/moment-text.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { orderPart } from '../../platform/pages/order-part.ts';
import { type PageStrings, pageDocument, pageLanguage } from '../../platform/pages/page-document.ts';
import { html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import { languageSwitcher } from '../../platform/pages/page-locale.ts';
import { largeAmount, leavingNotice, payeeHeading, supportLink } from '../../platform/pages/payee-parts.ts';
import type { PageFiles } from '../../platform/pages/static-files.ts';

/** The content of a payment link's page. */
export interface LinkPageView {
  readonly link: PublicPaymentLink;
  readonly merchant: Merchant;
  readonly locale: string;
  /** The merchant's clock. */
  readonly now: Date;
  readonly strings: PageStrings;
  readonly linkStrings: StringTables['link'];
  /** Files of the hosted checkout and of this page. */
  readonly files: readonly PageFiles[];
  /** Path of the script of the payment element. */
  readonly elementScript: string;
  /** Path of the style sheet with the merchant's colours. Null without such colours. */
  readonly brandStyles: string | null;
}

const dayMs = 86_400_000;

/** Values shared by the parts of the page. */
interface Context {
  readonly view: LinkPageView;
  readonly locale: string;
  readonly money: (amount: number) => string;
}

/** The page of a link: payee, amount, order and the payment element. A closed link shows the reason instead. */
export function linkPage(view: LinkPageView): Markup {
  const { link, merchant, locale, strings, linkStrings } = view;
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
      ${payeeHeader(context)} ${orderOf(context)} ${paymentPart(context)} ${footer(context)}
    </main>`,
  });
}

/** The amount as text. Null if the payer chooses the amount. */
function fixedAmount({ view: { link }, money }: Context): string | null {
  return link.amount === null || link.choices.length > 0 ? null : money(link.amount);
}

function payeeHeader(context: Context): Markup {
  const { link, merchant, strings, linkStrings } = context.view;
  const reference = link.reference && fill(strings.reference, { reference: link.reference });
  const about = [reference, link.description, endText(context)];
  const amount = fixedAmount(context);
  const isOpen = link.state === 'open';
  return html`<header class="payee">
    ${payeeHeading(merchant, strings)}
    ${largeAmount({
      amount: amount ?? '',
      currency: link.currency,
      note: false,
      attributes: html`data-due="${strings.stillDue}" ${amount === null && html`hidden`}`,
    })}
    ${amount === null && isOpen && choice(context, linkStrings)}
    ${about.map(text => text && html`<p class="about" dir="auto">${text}</p>`)}
  </header>`;
}

/** The end of the link, shown only during its last day. */
function endText(context: Context): string | null {
  const { link, now, linkStrings } = context.view;
  if (link.state !== 'open' || link.expires_at === null) return null;
  if (Date.parse(link.expires_at) - now.getTime() > dayMs) return null;
  return fill(linkStrings.until, { date: dateText(link.expires_at, context) });
}

/** The remaining amount of a link paid in parts. Other links show a text that asks for an amount. */
function choice({ view: { link, strings }, money }: Context, { yourChoice }: StringTables['link']): Markup {
  if (link.amount === null) return html`<p class="amount choice words">${yourChoice}</p>`;
  const isPart = link.amount_total !== null && link.amount < link.amount_total;
  const amount = money(link.amount);
  return largeAmount({ amount, currency: link.currency, note: isPart && strings.stillDue, kind: 'choice' });
}

/** The payment element. A closed link hides it, unless this browser tab has a payment of the link. */
function paymentPart(context: Context): Markup {
  const { link, merchant, strings } = context.view;
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
    ${leavingNotice(merchant, strings)}
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

/** Why the link cannot be paid, and what the payer can do. */
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

/** A date and time in the merchant's time zone. */
function dateText(moment: string, { view: { merchant }, locale }: Context): string {
  return momentText(moment, formatLocales(locale), merchant.timezone);
}

function orderOf({ view: { link, strings }, locale, money }: Context): Insert {
  const lines = link.line_items;
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  return orderPart({ lines, total, received: 0, locale, strings, money });
}

/** The footer with the merchant's support contact and the languages. */
function footer({ view: { merchant, strings }, locale }: Context): Markup {
  const way = supportLink(merchant) ?? fill(strings.helpShop, { merchant: merchant.name });
  return html`<footer><p>${strings.help} ${way}</p> ${languageSwitcher(locale, strings.language)}</footer>`;
}
