import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { PublicPaymentLink } from '../../../api/link.ts';
import { PayError } from '../../../core/error.ts';
import { idOf } from '../../../core/id.ts';
import { fill } from '../../../core/locale/locale.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { drawPoster, type PosterOrder, qrPng, qrSvg } from '../../documents/documents.ts';
import type { PaymentDeps } from '../../payments/payment-deps.ts';
import { hostedPage, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import { pageStrings, sendPage } from '../../platform/pages/page-document.ts';
import { limitedTo, rateLimitErrorHandler, sendMissingPage } from '../../platform/pages/page-guard.ts';
import { pageLocale, visitorLocale } from '../../platform/pages/page-locale.ts';
import { protectPayeePage } from '../../platform/pages/page-policy.ts';
import type { PageDeps } from '../../platform/pages/static-files.ts';
import { readLink } from '../link.service.ts';
import { findLinkOwner } from '../link.store.ts';
import type { LinkRow } from '../link.ts';
import { linkToPublic } from '../link.view.ts';
import { choicesOf } from '../link-pay.service.ts';
import { recordVisit } from '../link-visit.service.ts';
import { linkPage } from './page-link.ts';

/** A link, and the data that its page shows. */
interface ShownLink {
  readonly row: LinkRow;
  readonly link: PublicPaymentLink;
  readonly merchant: Merchant;
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

const params = Type.Object({ slug: Type.String() });
const QrParams = Type.Object({ slug: Type.String(), ending: Type.String() });

type Asked = Pick<FastifyRequest<{ Params: Static<typeof params> }>, 'params' | 'ip' | 'hostname'>;

const QrQuery = Type.Object({ size: Type.Optional(Type.Integer({ minimum: 128, maximum: 4096, default: 1024 })) });

/** Page requests for one link, per IP address and minute. */
const opensPerMinute = 120;
const drawingsPerMinute = 120;

/** QR codes and posters of all links, per IP address and minute. Drawing them takes processor time. */
const allDrawingsPerMinute = 240;

/**
 * `/l/:slug`: the page of a payment link, its QR code (`qr` and `qr.svg` are SVG, `qr.png` is PNG) and its poster. The
 * routes limit visitors who guess URLs.
 */
export function registerLinkPage(app: HttpApp, deps: PaymentDeps & PageDeps): void {
  const page = {
    config: hostedPage,
    schema: { params, hide: true },
    errorHandler: rateLimitErrorHandler(deps.assets.return.styles),
  };
  const opens = limitedTo(opensPerMinute);
  const drawings = limitedTo(drawingsPerMinute);
  const allDrawings = limitedTo(allDrawingsPerMinute);
  const find = async (request: Asked): Promise<ShownLink | null> => {
    const shown = await findBySlug(deps, request.params.slug);
    if (shown !== null && servesPagesOf(deps, request, shown.merchant.id)) return shown;
    deps.limitWrong(request);
    return null;
  };
  const findToDraw = async (request: Asked): Promise<ShownLink> => {
    const shown = await find(request);
    if (shown === null) throw new PayError('resource_missing', 'No payment link has this address.');
    drawings(request, shown.link.id);
    allDrawings(request);
    return shown;
  };
  app.get('/l/:slug', page, async (request, reply) => {
    const shown = await find(request);
    if (shown === null) return await showMissing(deps, request, reply);
    opens(request, shown.link.id);
    await recordVisit(deps, shown.row, request, shown.now);
    return await show(deps, request, reply, shown);
  });
  app.get(
    '/l/:slug/qr:ending(^(?:\\.svg|\\.png)*$)',
    { ...page, schema: { params: QrParams, querystring: QrQuery, hide: true } },
    async (request, reply) => {
      const { link } = await findToDraw(request);
      if (!request.params.ending.endsWith('.png')) {
        return forAnyPage(reply).type('image/svg+xml').send(qrSvg(link.url));
      }
      const png = await qrPng(link.url, request.query.size ?? 1024);
      return forAnyPage(reply).type('image/png').send(png);
    },
  );
  app.get('/l/:slug/poster.pdf', page, async (request, reply) => {
    const shown = await findToDraw(request);
    return reply
      .type('application/pdf')
      .header('cache-control', 'no-store')
      .header('x-robots-tag', 'noindex')
      .send(await drawLinkPoster(shown, whenClientLeaves(reply)));
  });
}

/** The link with the path `/l/<slug>`, or null. */
async function findBySlug(deps: PaymentDeps, slug: string): Promise<ShownLink | null> {
  const linkId = idOf('paymentLink', slug);
  const owner = /^[0-9A-Za-z]{22}$/.test(slug) ? await findLinkOwner(deps.db, linkId) : null;
  if (owner === null) return null;
  const { merchantId, livemode } = owner;
  const merchant = await deps.findMerchant(merchantId);
  const now = merchantNow(merchant, livemode, deps.clock.now());
  const row = await readLink(deps, { merchant, livemode, now }, linkId);
  const link = linkToPublic(deps, { link: row, merchant, choices: await choicesOf(deps, row), now });
  return { row, link, merchant, now };
}

/** A QR code changes only with the merchant's domain, so it may be cached for an hour. Other sites may embed it. */
function forAnyPage(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'public, max-age=3600')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('x-content-type-options', 'nosniff');
}

async function showMissing({ assets }: PageDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const locale = visitorLocale(request, reply);
  const { missingTitle: title, missingText: text } = await stringsFor('link', locale);
  return sendMissingPage(reply, assets.return.styles, locale, { title, text });
}

/** States in which the page responds with 410 Gone. */
const goneStates: ReadonlySet<PublicPaymentLink['state']> = new Set(['used', 'expired']);

async function show(
  deps: PaymentDeps & PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { link, merchant, now }: ShownLink,
): Promise<FastifyReply> {
  const locale = pageLocale(request, reply, { own: link.locale, merchant: merchant.locale });
  const { livemode, state } = link;
  protectPayeePage(reply, deps, { merchant, livemode }).code(goneStates.has(state) ? 410 : 200);
  const view = {
    link,
    merchant,
    now,
    locale,
    strings: await pageStrings(locale),
    linkStrings: await stringsFor('link', locale),
    files: [deps.assets.checkout, deps.assets.link],
    elementScript: deps.assets.element,
    brandStyles: brandStylesPath(merchant.branding),
  };
  return sendPage(reply, linkPage(view));
}

/** A description up to this length is the poster's title. A longer description is the poster's text. */
const longestTitle = 60;

async function drawLinkPoster({ link, merchant }: ShownLink, signal: AbortSignal): Promise<Buffer> {
  const { branding, name } = merchant;
  const { amount, currency, choices, description, livemode, url } = link;
  const locale = link.locale ?? merchant.locale;
  const isShort = description !== null && description.length <= longestTitle;
  const { title } = await stringsFor('link', locale);
  const poster: PosterOrder = {
    name,
    locale,
    url,
    livemode,
    logo: logoOf(branding.logo),
    primaryColor: branding.primary_color,
    title: isShort ? description : fill(title, { merchant: name }),
    text: isShort ? null : description,
    amount: amount === null || choices.length > 0 ? null : { value: BigInt(amount), currency },
  };
  return await drawPoster(poster, { rank: 'public', signal });
}

/** The merchant's logo if the setting is a data URL, otherwise null. Drawing a poster never fetches an image. */
function logoOf(logo: string | null): Buffer | null {
  const base64 = logo?.match(/^data:image\/[\w+.-]+;base64,(.+)$/)?.[1];
  return base64 === undefined ? null : Buffer.from(base64, 'base64');
}
