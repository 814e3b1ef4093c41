import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Payment } from '../../../api/payment.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import { sendPage } from '../../platform/pages/page-answer.ts';
import type { PageAssets } from '../../platform/pages/page-assets.ts';
import { brandStyles, brandStylesPath } from '../../platform/pages/page-brand.ts';
import { noticePage } from '../../platform/pages/page-document.ts';
import { frameAncestors, protectPage } from '../../platform/pages/page-policy.ts';
import { pageLanguage, pageStrings } from '../../platform/pages/page-strings.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { checkoutPage } from './page-checkout.ts';

/** What the hosted pages need. */
export interface PageDeps {
  readonly secrets: Pick<Secrets, 'openPaymentToken' | 'clientSecret'>;
  readonly assets: PageAssets;
  readonly publicUrl: () => string;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  /** The payment as a payer may see it, or null. */
  readonly findPublicPayment: (ids: { merchantId: string; paymentId: string }) => Promise<Payment | null>;
}

const publicPage = { config: { access: 'public' }, schema: { hide: true } } as const;

/** Pages without a payment may be shown by nobody else, and load nothing but their own two files. */
const plainPolicy = { 'script-src': ["'self'"], 'style-src': ["'self'"], 'img-src': ["'self'"] };

/** The hosted checkout, its colours, and the page on which a payer ends who was asked by a bank in another window. */
export function registerPageRoutes(app: FastifyInstance, deps: PageDeps): void {
  app.get<{ Params: { token: string } }>('/checkout/:token', publicPage, async (request, reply) => {
    const ids = deps.secrets.openPaymentToken('checkout', request.params.token);
    const found = ids && (await Promise.all([deps.findPublicPayment(ids), deps.findMerchant(ids.merchantId)]));
    const [payment, merchant] = found ?? [];
    if (!payment || !merchant) return await showMissing(deps, reply);
    return await showCheckout(deps, reply, payment, merchant);
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
    // A bank's page leads here inside the frame of a shop that this address does not know; it shows nothing worth hiding.
    protectPage(reply, { ...plainPolicy, 'frame-ancestors': ['*'] });
    return sendPage(reply, noticePage(pageLanguage('en'), styles, { title, text, script }));
  });
}

async function showMissing(deps: PageDeps, reply: FastifyReply): Promise<FastifyReply> {
  const { missingTitle: title, missingText: text } = await pageStrings('en');
  protectPage(reply, { ...plainPolicy, 'frame-ancestors': ["'self'"] }).code(404);
  return sendPage(reply, noticePage(pageLanguage('en'), deps.assets.return.styles, { title, text }));
}

async function showCheckout(
  deps: PageDeps,
  reply: FastifyReply,
  payment: Payment,
  merchant: Merchant,
): Promise<FastifyReply> {
  const publicOrigin = new URL(deps.publicUrl()).origin;
  const view = {
    payment,
    merchant,
    clientSecret: deps.secrets.clientSecret(merchant.id, payment.id),
    strings: await pageStrings(payment.locale ?? merchant.locale),
    files: deps.assets.checkout,
    elementScript: deps.assets.element,
    brandStyles: brandStylesPath(merchant.branding),
  };
  protectPage(reply, {
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'https:'],
    'connect-src': ["'self'", publicOrigin],
    'frame-src': ["'self'", publicOrigin],
    'frame-ancestors': frameAncestors(merchant, payment.livemode),
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['lit-html'],
  });
  return sendPage(reply, checkoutPage(view));
}
