import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { OpenedCheckout, Payment } from '../../../api/payment.ts';
import { fill } from '../../../core/locale/locale.ts';
import { moneyText } from '../../../core/locale/locale-format.ts';
import { returnAddress } from '../../../core/return-address.ts';
import { hostedPage, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { orderPart } from '../../platform/pages/order-part.ts';
import { brandStyles, brandStylesPath } from '../../platform/pages/page-brand.ts';
import {
  noticePage,
  type PageStrings,
  pageDocument,
  pageLanguage,
  pageStrings,
  sendPage,
} from '../../platform/pages/page-document.ts';
import { html, type Markup } from '../../platform/pages/page-html.ts';
import { languageSwitcher, pageLocale, visitorLocale } from '../../platform/pages/page-locale.ts';
import { protectPage, protectPayeePage } from '../../platform/pages/page-policy.ts';
import { largeAmount, leavingNotice, payeeHeading, supportLink } from '../../platform/pages/payee-parts.ts';
import type { PageAssets } from '../../platform/pages/static-files.ts';
import { findPayment } from '../payment.store.ts';
import { merchantToWire, payerView, paymentToWire } from '../payment.view.ts';
import type { PaymentPageDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { paymentOptions } from './payment-method.service.ts';

const params = Type.Object({ token: Type.String() });
const publicPage = { config: hostedPage, schema: { hide: true } } as const;

/** Policy of pages without a payment: they load only their own files. Each page adds the sites that may embed it. */
const plainPolicy = { 'script-src': ["'self'"], 'style-src': ["'self'"], 'img-src': ["'self'"] };

/** The hosted checkout, its style sheet, and the page to which a bank's page returns the payer. */
export function registerPageRoutes(app: HttpApp, deps: PaymentPageDeps): void {
  app.get('/checkout/:token', { ...publicPage, schema: { params, hide: true } }, async (request, reply) => {
    const ids = deps.secrets.openPaymentToken('checkout', request.params.token);
    const isHere = ids !== null && servesPagesOf(deps, request, ids.merchantId);
    const row = isHere ? await findPayment(deps.db, ids) : null;
    if (row === null) return await showMissing(deps, request, reply);
    const merchant = await deps.findMerchant(row.merchant_id);
    const payment = payerView({ ...paymentToWire(deps, row), merchant: merchantToWire(merchant) });
    const opened = row.status === 'pending' ? await openPromptly(deps, merchant, row, payment) : null;
    const locale = pageLocale(request, reply, { own: payment.locale, merchant: merchant.locale });
    return await showCheckout(deps, reply, { payment, opened, merchant, locale });
  });
  app.get('/checkout/brand.css', publicPage, async (request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(brandStyles(request.query as Record<string, unknown>)),
  );
  app.get('/checkout/return', publicPage, async (request, reply) => {
    const locale = visitorLocale(request, reply);
    const { returnTitle: title, returnText: text } = await pageStrings(locale);
    const { script, styles } = deps.assets.return;
    // A bank's page redirects here inside the frame of an unknown shop. The page shows no payment data.
    protectPage(reply, { ...plainPolicy, 'frame-ancestors': ['*'] });
    return sendPage(reply, noticePage(pageLanguage(locale), styles, { title, text, script }));
  });
}

/** Milliseconds that the page waits for the ways to pay. A chain may answer later; the element then asks again. */
const optionsWithinMs = 150;

async function openPromptly(
  deps: PaymentPageDeps,
  merchant: Merchant,
  row: PaymentRow,
  payment: Payment,
): Promise<OpenedCheckout | null> {
  const read = paymentOptions(deps, merchant, row).catch(() => null);
  const options = await Promise.race([read, sleep(optionsWithinMs, null, { ref: false })]);
  const now = merchantNow(merchant, row.livemode, deps.clock.now());
  return options && { payment, options, answered_at: now.toISOString() };
}

async function showMissing(
  { assets }: PaymentPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const locale = visitorLocale(request, reply);
  const { missingTitle: title, missingText: text } = await pageStrings(locale);
  protectPage(reply, { ...plainPolicy, 'frame-ancestors': ["'self'"] }).code(404);
  return sendPage(reply, noticePage(pageLanguage(locale), assets.return.styles, { title, text }));
}

async function showCheckout(
  deps: PaymentPageDeps,
  reply: FastifyReply,
  { payment, opened, merchant, locale }: Pick<CheckoutView, 'payment' | 'opened' | 'merchant' | 'locale'>,
): Promise<FastifyReply> {
  const view = {
    payment,
    opened,
    merchant,
    locale,
    strings: await pageStrings(locale),
    clientSecret: deps.secrets.clientSecret(merchant.id, payment.id),
    money: (amount: number) => moneyText(BigInt(amount), payment.currency, locale),
  };
  protectPayeePage(reply, deps, { merchant, livemode: payment.livemode });
  return sendPage(reply, checkoutPage(view, deps.assets));
}

interface CheckoutView {
  readonly payment: Payment;
  /** The element's first answer. Null if the element has to ask for it. */
  readonly opened: OpenedCheckout | null;
  readonly merchant: Merchant;
  readonly locale: string;
  readonly strings: PageStrings;
  readonly clientSecret: string;
  readonly money: (amount: number) => string;
}

/**
 * The hosted checkout with payee, amount, items and the payment element. Everything except the element is readable
 * without scripts.
 */
function checkoutPage(view: CheckoutView, { checkout, element }: PageAssets): Markup {
  const { payment, merchant, strings, money } = view;
  const colours = brandStylesPath(merchant.branding);
  const received = payment.status === 'pending' ? payment.amount_received : 0;
  const order = { ...view, lines: payment.line_items, total: payment.amount, received };
  return pageDocument({
    language: pageLanguage(view.locale),
    title: fill(strings.title, { merchant: merchant.name, amount: money(payment.amount) }),
    icon: merchant.branding.icon,
    styles: [...checkout.styles, ...(colours === null ? [] : [colours])],
    scripts: html`<script src="${element}" defer></script>
      <script type="module" src="${checkout.script}"></script>`,
    body: html`<main class="page" data-font="${merchant.branding.font}" data-border="${merchant.branding.border_style}">
      ${payeeHeader(view)} ${orderPart(order)} ${paymentPart(view)} ${footer(view)}
    </main>`,
  });
}

function payeeHeader({ payment, merchant, strings, money }: CheckoutView): Markup {
  const about = [payment.reference && fill(strings.reference, { reference: payment.reference }), payment.description];
  const due = dueOf(payment);
  return html`<header class="payee">
    ${payeeHeading(merchant, strings)}
    ${largeAmount({
      amount: money(due),
      currency: payment.currency,
      note: payment.status === 'pending' && due < payment.amount && strings.stillDue,
      attributes: html`data-due="${strings.stillDue}"`,
    })}
    ${about.map(text => text && html`<p class="about"><bdi>${text}</bdi></p>`)}
  </header>`;
}

/** The amount to show. Pending: what remains. Completed: what was received, at most the whole. Otherwise: the whole. */
function dueOf({ amount, amount_received: received, status, completed_at: completedAt }: Payment): number {
  if (status === 'pending') return received < amount ? amount - received : amount;
  return completedAt === null ? amount : Math.min(received, amount);
}

function paymentPart({ payment, opened, merchant, locale, clientSecret, strings }: CheckoutView): Markup {
  const way = returnAddress(payment.redirect_url, payment);
  const isOver = payment.status !== 'pending' || payment.phase === 'authorized';
  const back = isOver ? way?.href : payment.cancel_url;
  // An invoice has its own receipts, on its page and by mail.
  const hasReceipt = payment.status === 'completed' && payment.invoice === null;
  return html`<section class="payment" aria-label="${strings.payment}">
    <pay-checkout
      payment-id="${payment.id}"
      client-secret="${clientSecret}"
      locale="${locale}"
      theme="auto"
      ${opened && html`opened="${JSON.stringify(opened)}"`}
      ${isOver && html`data-over`}
      ${payment.cancel_url && html`data-way-back`}
    ></pay-checkout>
    <noscript>
      ${isOver ? null : html`<p class="no-script">${strings.noScript}</p>`}
      ${hasReceipt && html`<p class="back"><a href="${payment.checkout_url}/receipt">${strings.receipt}</a></p>`}
      ${back && html`<p class="back"><a href="${back}">${strings.back}</a></p>`}
    </noscript>
    ${way && leavingNotice(merchant, strings)}
  </section>`;
}

/** The footer with the merchant's support contact, or with a link to the shop, and with the languages. */
function footer({ payment, merchant, locale, strings }: CheckoutView): Markup {
  const way = returnAddress(payment.redirect_url, payment);
  const words = fill(strings.helpShop, { merchant: merchant.name });
  const back = way && html`<a href="${way.href}">${strings.back}</a>`;
  return html`<footer>
    <p>${strings.help} ${supportLink(merchant) ?? html`${words} ${back}`}</p>
    ${languageSwitcher(locale, strings.language)}
  </footer>`;
}
