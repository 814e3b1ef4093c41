import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Closed, Nullable } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { createGuessCounter } from '../../platform/http/access/rate-limit.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { sendPage } from '../../platform/pages/page-document.ts';
import { html, type Markup } from '../../platform/pages/page-html.ts';
import { frameAncestors, type PayeePage, protectPage } from '../../platform/pages/page-policy.ts';
import type { PageFiles } from '../../platform/pages/static-files.ts';
import type { CardForm, WalletOffer } from '../../rails/card-rail.ts';
import { chooseCardRail } from '../../rails/rails.ts';
import { findPayment } from '../payment.store.ts';
import type { PaymentPageDeps } from '../payment-deps.ts';
import { issueCardToken, openFrameTicket } from './card-option.ts';
import { type AdmitPayer, frameWallets, openForm, registerWalletRoutes, walletOffers } from './wallet-frame.routes.ts';

/** Body of `POST /card-frame/tokens`: the card details and the frame's ticket. */
const CardTokenRequest = Closed({
  ticket: Type.String({ maxLength: 100 }),
  number: Type.String({ pattern: '^[0-9]{1,30}$' }),
  exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
  exp_year: Type.Integer({ minimum: 2000, maximum: 2199 }),
  cvc: Type.String({ pattern: '^[0-9]{1,6}$' }),
  name: Nullable(Type.String({ maxLength: 250 })),
});

/** Maximum card attempts per minute, for a payment and for an IP address. */
const attemptsPerMinute = { payment: 20, address: 60 };

/**
 * The card frame: an HTML document where the payer enters the card, and the only request that the document sends. Card
 * data goes to the rail, and is neither stored nor logged. The frame receives a card token.
 */
export function registerCardFrameRoutes(app: HttpApp, deps: PaymentPageDeps): void {
  const assertFewAttempts = createAttemptLimit();
  app.get('/card-frame/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const { ticket } = request.query as { ticket?: unknown };
    const { merchant, payment } = await openTicket(deps, ticket);
    const now = merchantNow(merchant, payment.livemode, deps.clock.now());
    const wallets = walletOffers(deps, merchant, payment);
    const form = await openForm(deps, merchant, payment, now);
    protectFrame(deps, reply, { merchant, livemode: payment.livemode, wallets, form });
    const frame = { now, form, wallets: frameWallets(merchant, payment, wallets) };
    return sendPage(reply, cardFramePage(deps.assets['card-frame'], frame));
  });
  const admit: AdmitPayer = async (request, ticket) => {
    assertOwnPage(request, deps.publicUrl());
    const { merchant, payment } = await openTicket(deps, ticket);
    assertFewAttempts(payment.id, request.ip);
    if (payment.status !== 'pending') {
      throw new PayError('payment_already_settled', 'This payment is over. Nothing was taken.');
    }
    const card = chooseCardRail(deps.rails.cards, payment);
    if (card === null) throw new PayError('unavailable', 'This server takes no cards for this payment.');
    return { merchant, payment, card, now: merchantNow(merchant, payment.livemode, deps.clock.now()) };
  };
  registerWalletRoutes(app, deps, admit);
  app.post(
    '/card-frame/tokens',
    { config: { access: 'public', maxBody: 4096 }, schema: { body: CardTokenRequest, hide: true } },
    async request => {
      const { merchant, payment, card, now } = await admit(request, request.body.ticket);
      const { number, exp_month: expiryMonth, exp_year: expiryYear, cvc, name } = request.body;
      const made = await card.tokenize({ number, expiryMonth, expiryYear, cvc, name }, now);
      const key = { merchantId: merchant.id, paymentId: payment.id };
      return { ...made, token: issueCardToken(deps.secrets, key, { rail: card.id, token: made.token }) };
    },
  );
}

async function openTicket(deps: PaymentPageDeps, ticket: unknown) {
  const ids = typeof ticket === 'string' ? openFrameTicket(deps.secrets, ticket, deps.clock.now()) : null;
  const payment = ids && (await findPayment(deps.db, ids));
  if (payment) return { payment, merchant: await deps.findMerchant(payment.merchant_id) };
  const message = 'This card form is no longer valid. Reload the page to go on.';
  throw new PayError('resource_missing', message, { param: 'ticket' });
}

/**
 * Allows the frame to load only its own files and to call only its own origin. Injected scripts then cannot send card
 * data elsewhere.
 */
function protectFrame(
  deps: PaymentPageDeps,
  reply: FastifyReply,
  { merchant, livemode, wallets, form }: PayeePage & Pick<Frame, 'form'> & { readonly wallets: readonly WalletOffer[] },
): void {
  const own = `${deps.publicUrl()}/card-frame/`;
  const page = protectPage(reply, {
    ...(form !== null && { 'frame-src': [new URL(form.url).origin] }),
    'script-src': [own],
    'style-src': [own],
    // The browser itself reads the addresses of wallets.
    'connect-src': [own, ...wallets.flatMap(({ method, manifests }) => [method, ...manifests])],
    'frame-ancestors': frameAncestors(deps, { merchant, livemode }),
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  }).header('cross-origin-resource-policy', 'cross-origin');
  // Pages of acquirers do not opt in to isolated documents.
  if (form === null) page.header('cross-origin-embedder-policy', 'require-corp');
}

/** Accepts requests only from the frame. Otherwise a website could use its visitors' browsers to test stolen cards. */
function assertOwnPage({ headers }: FastifyRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOwn) throw new PayError('origin_not_allowed', 'Only the card form may send cards.');
}

function createAttemptLimit(): (paymentId: string, address: string) => void {
  const payments = createGuessCounter(attemptsPerMinute.payment);
  const addresses = createGuessCounter(attemptsPerMinute.address);
  return (paymentId, address) => {
    const waits = [payments.count(paymentId), addresses.count(address)].filter(wait => wait !== null);
    if (waits.length === 0) return;
    throw new PayError('too_many_attempts', 'Too many attempts. Wait a minute, then try again.', {
      retryAfterSeconds: Math.max(...waits),
    });
  };
}

/** What the document of the frame depends on. */
interface Frame {
  readonly now: Date;
  /** Blank or JSON. */
  readonly wallets: string;
  /** The acquirer's own form, or null. */
  readonly form: CardForm | null;
}

/**
 * The document of the card fields. It contains no text, because its script writes the labels in the payer's language.
 * `now` is on the payment's clock, which decides whether a card has expired.
 */
function cardFramePage(files: PageFiles, { now, wallets, form }: Frame): Markup {
  return html`<!doctype html>
    <html lang="en" data-now="${now.toISOString()}"${dataOf(wallets, form, now)}>
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Card details</title>
        ${files.styles.map(file => html`<link rel="stylesheet" href="${fromFrame(file)}">`)}
        <script type="module" src="${fromFrame(files.script)}"></script>
      </head>
      <body>
        <form novalidate aria-label="Card details">
          ${form === null ? fields : html`<iframe title="Card details" allow="payment"></iframe>`}
        </form>
      </body>
    </html>`;
}

function dataOf(wallets: string, form: CardForm | null, now: Date): Markup {
  const ofWallets = wallets === '' ? null : html` data-wallets="${wallets}"`;
  const lifeMs = form === null ? 0 : form.expiresAt.getTime() - now.getTime();
  return html`${ofWallets}${form && html` data-form="${form.url}" data-expires="${lifeMs}"`}`;
}

const fields = html`${field('number', html`inputmode="numeric" autocomplete="cc-number" dir="ltr" aria-describedby="brand number-error"`, html`<span id="brand"></span>`)}
          <div class="row">
            ${field('expiry', html`inputmode="numeric" autocomplete="cc-exp" dir="ltr" aria-describedby="expiry-error"`)}
            ${field('cvc', html`inputmode="numeric" autocomplete="cc-csc" dir="ltr" aria-describedby="cvc-error"`)}
          </div>
          ${field('name', html`autocomplete="cc-name" autocapitalize="words" aria-describedby="name-error"`)}`;

function field(name: string, attributes: Markup, after: Markup | null = null): Markup {
  return html`<div class="field">
    <label for="${name}"></label>
    <div class="box">
      <input id="${name}" name="${name}" required spellcheck="false" enterkeyhint="go" ${attributes}>
      ${after}
    </div>
    <p class="error" id="${name}-error" aria-live="polite"></p>
  </div>`;
}

/** Makes a path below `/card-frame/` relative to the frame's document. */
function fromFrame(path: string): string {
  return path.replace('/card-frame/', '');
}
