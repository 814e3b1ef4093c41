import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { LineItem, Payment } from '../../../api/payment.ts';
import { lengthClass } from '../../../core/locale/length-class.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales, moneyText } from '../../../core/locale/locale-format.ts';
import { returnAddress } from '../../../core/return-address.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { brandStyles, brandStylesPath } from '../../platform/pages/page-brand.ts';
import {
  noticePage,
  type PageStrings,
  pageDocument,
  pageLanguage,
  pageStrings,
  sendPage,
} from '../../platform/pages/page-document.ts';
import { html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import { protectPage, protectPayeePage } from '../../platform/pages/page-policy.ts';
import type { PageAssets } from '../../platform/pages/static-files.ts';
import type { PaymentPageDeps } from '../payment-deps.ts';
import { findPublicPayment } from './payment-lifecycle.service.ts';

const params = Type.Object({ token: Type.String() });
const publicPage = { config: { access: 'public' }, schema: { hide: true } } as const;

/** Policy of pages without a payment: no other site may embed them, and they load their own two files only. */
const plainPolicy = { 'script-src': ["'self'"], 'style-src': ["'self'"], 'img-src': ["'self'"] };

/** The hosted checkout, its style sheet, and the page that ends a bank's page in another window. */
export function registerPageRoutes(app: HttpApp, deps: PaymentPageDeps): void {
  app.get('/checkout/:token', { ...publicPage, schema: { params, hide: true } }, async (request, reply) => {
    const ids = deps.secrets.openPaymentToken('checkout', request.params.token);
    const payment = ids && (await findPublicPayment(deps, ids));
    if (ids === null || payment === null) return await showMissing(deps, reply);
    return await showCheckout(deps, reply, payment, await deps.findMerchant(ids.merchantId));
  });
  app.get('/checkout/brand.css', publicPage, async (request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(brandStyles(request.query as Record<string, unknown>)),
  );
  app.get('/checkout/return', publicPage, async (_request, reply) => {
    const { returnTitle: title, returnText: text } = await pageStrings('en');
    const { script, styles } = deps.assets.return;
    // A bank's page leads here inside the frame of an unknown shop. The page shows no data of the payment.
    protectPage(reply, { ...plainPolicy, 'frame-ancestors': ['*'] });
    return sendPage(reply, noticePage(pageLanguage('en'), styles, { title, text, script }));
  });
}

async function showMissing(deps: PaymentPageDeps, reply: FastifyReply): Promise<FastifyReply> {
  const { missingTitle: title, missingText: text } = await pageStrings('en');
  protectPage(reply, { ...plainPolicy, 'frame-ancestors': ["'self'"] }).code(404);
  return sendPage(reply, noticePage(pageLanguage('en'), deps.assets.return.styles, { title, text }));
}

async function showCheckout(
  deps: PaymentPageDeps,
  reply: FastifyReply,
  payment: Payment,
  merchant: Merchant,
): Promise<FastifyReply> {
  const locale = payment.locale ?? merchant.locale;
  const view = {
    ...{ payment, merchant, locale, strings: await pageStrings(locale) },
    clientSecret: deps.secrets.clientSecret(merchant.id, payment.id),
    money: (amount: number) => moneyText(BigInt(amount), payment.currency, locale),
  };
  protectPayeePage(reply, { publicUrl: deps.publicUrl(), merchant, livemode: payment.livemode });
  return sendPage(reply, checkoutPage(view, deps.assets));
}

interface CheckoutView {
  readonly payment: Payment;
  readonly merchant: Merchant;
  readonly locale: string;
  readonly strings: PageStrings;
  readonly clientSecret: string;
  readonly money: (amount: number) => string;
}

/** The hosted checkout: payee, amount and items, readable without scripts, with the element beside them. */
function checkoutPage(view: CheckoutView, { checkout, element }: PageAssets): Markup {
  const { payment, merchant, strings, money } = view;
  const colours = brandStylesPath(merchant.branding);
  return pageDocument({
    language: pageLanguage(view.locale),
    title: fill(strings.title, { merchant: merchant.name, amount: money(payment.amount) }),
    icon: merchant.branding.icon,
    styles: [...checkout.styles, ...(colours === null ? [] : [colours])],
    scripts: html`<script src="${element}" defer></script>
      <script type="module" src="${checkout.script}"></script>`,
    body: html`<main class="page" data-font="${merchant.branding.font}" data-border="${merchant.branding.border_style}">
      ${payeeHeader(view)} ${paymentPart(view)} ${orderPart(view)} ${footer(view)}
    </main>`,
  });
}

function payeeHeader({ payment, merchant, strings, money }: CheckoutView): Markup {
  const { logo } = merchant.branding;
  const about = [payment.reference && fill(strings.reference, { reference: payment.reference }), payment.description];
  return html`<header class="payee">
    <h1 aria-label="${fill(strings.payTo, { merchant: merchant.name })}">
      ${
        logo
          ? html`<img class="logo" src="${logo}" alt="" width="40" height="40">`
          : html`<span class="logo letter" aria-hidden="true">${firstLetter(merchant.name)}</span>`
      }
      <bdi class="name">${merchant.name}</bdi>
    </h1>
    <p class="amount ${lengthClass(money(payment.amount))}" data-due="${strings.stillDue}"><bdi>${money(dueOf(payment))}</bdi>${
      dueOf(payment) < payment.amount ? html` <small>${strings.stillDue}</small>` : ''
    }</p>
    ${about.map(text => text && html`<p class="about"><bdi>${text}</bdi></p>`)}
  </header>`;
}

/** The remaining amount of an open payment; afterwards the whole amount. */
function dueOf(payment: Payment): number {
  const left = payment.amount - payment.amount_received;
  return payment.status === 'pending' && left > 0 ? left : payment.amount;
}

function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter().segment(name);
  return (first?.segment ?? '').toUpperCase();
}

function paymentPart({ payment, merchant, locale, clientSecret, strings }: CheckoutView): Markup {
  const way = returnAddress(payment.redirect_url, payment);
  const isOver = payment.status !== 'pending';
  return html`<section class="payment" aria-label="${strings.payment}">
    <pay-checkout
      payment-id="${payment.id}"
      client-secret="${clientSecret}"
      locale="${locale}"
      theme="auto"
      ${isOver && html`data-over`}
    ></pay-checkout>
    <noscript>
      ${isOver ? null : html`<p class="no-script">${strings.noScript}</p>`}
      ${isOver && way && html`<p class="back"><a href="${way.href}">${strings.back}</a></p>`}
    </noscript>
    ${way && leavingNotice(merchant, strings)}
  </section>`;
}

/** Empty until the payment is paid; then the script fills it. */
function leavingNotice({ name: merchant }: Merchant, strings: PageStrings): Markup {
  return html`<p class="leaving" role="status" data-leaving="${fill(strings.leaving, { merchant })}" data-stay="${strings.stay}"></p>`;
}

function orderPart(view: CheckoutView): Insert {
  const { strings, payment, money } = view;
  if (payment.line_items.length === 0) return null;
  return html`<section class="order" aria-label="${strings.order}">
    <ul>${payment.line_items.map(item => line(item, view))}</ul>
    <p class="total"><span>${strings.total}</span> <bdi>${money(payment.amount)}</bdi></p>
  </section>`;
}

function line(item: LineItem, { locale, strings, money }: CheckoutView): Markup {
  const quantity = new Intl.NumberFormat(formatLocales(locale));
  const name =
    item.quantity === 1
      ? item.name
      : fill(strings.times, { name: item.name, quantity: quantity.format(item.quantity) });
  return html`<li><span dir="auto">${name}</span> <bdi>${money(item.amount)}</bdi></li>`;
}

/** The merchant's support contact; without one, the link back to the shop. */
function footer({ payment, merchant, strings }: CheckoutView): Markup {
  const { name, supportEmail, supportUrl } = merchant;
  const way = returnAddress(payment.redirect_url, payment);
  if (supportUrl) {
    return help(strings, html`<a href="${supportUrl}" rel="noopener" target="_blank">${new URL(supportUrl).host}</a>`);
  }
  if (supportEmail) return help(strings, html`<a href="mailto:${encodeURI(supportEmail)}">${supportEmail}</a>`);
  const words = fill(strings.helpShop, { merchant: name });
  return help(strings, html`${words} ${way && html`<a href="${way.href}">${strings.back}</a>`}`);
}

const help = (strings: PageStrings, way: Markup) => html`<footer>${strings.help} ${way}</footer>`;
