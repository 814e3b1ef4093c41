import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { PublicPaymentLink } from '../../../api/link.ts';
import { PayError } from '../../../core/error.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { PageAssets } from '../../platform/pages/page-assets.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import { pageStrings, sendPage } from '../../platform/pages/page-document.ts';
import { type Limit, limitedTo, sendMissingPage, tellToWait } from '../../platform/pages/page-guard.ts';
import { protectPayeePage } from '../../platform/pages/page-policy.ts';
import { linkPage } from './page-link.ts';

/** A link as its payers may see it, and whose it is. */
export interface ShownLink {
  readonly link: PublicPaymentLink;
  readonly merchant: Merchant;
  /** The merchant's clock. */
  readonly now: Date;
}

/** What the page of a payment link needs. */
export interface LinkPageDeps {
  readonly assets: PageAssets;
  readonly publicUrl: () => string;
  /** Counts a request for a page that is not there. */
  readonly limitWrong: Limit;
  /** The link with the address `/l/<slug>`, or null. */
  readonly findLink: (slug: string) => Promise<ShownLink | null>;
  /** Counts the request as an opening of the link, where a person made it. */
  readonly recordOpen: (slug: string, request: FastifyRequest) => Promise<void>;
  readonly drawQr: {
    readonly svg: (text: string) => string;
    readonly png: (text: string, pixels: number) => Promise<Buffer>;
  };
  /** The page to print and put up. */
  readonly drawPoster: (shown: ShownLink, signal: AbortSignal) => Promise<Buffer>;
}

interface BySlug {
  Params: { slug: string };
}

type Asked = Pick<FastifyRequest<BySlug>, 'params' | 'ip'>;

const config = { access: 'public' } as const;
const QrQuery = Type.Object({ size: Type.Optional(Type.Integer({ minimum: 128, maximum: 4096, default: 1024 })) });

/** Of one link, from one address in a minute. */
const opensPerMinute = 120;
const drawingsPerMinute = 120;

/** Of all links together, from one address in a minute: drawing is work. */
const allDrawingsPerMinute = 240;

/**
 * `/l/:slug`: the page of a payment link, its QR code (the last ending of its address says in which form: `qr`, `qr.svg`,
 * `qr.png`) and its poster. Whoever tries addresses is told to wait.
 */
export function registerLinkPage(app: FastifyInstance, deps: LinkPageDeps): void {
  const page = { config, schema: { hide: true }, errorHandler: tellToWait(deps.assets.return.styles) };
  const opens = limitedTo(opensPerMinute);
  const drawings = limitedTo(drawingsPerMinute);
  const allDrawings = limitedTo(allDrawingsPerMinute);
  const find = async (request: Asked): Promise<ShownLink | null> => {
    const shown = await deps.findLink(request.params.slug);
    if (shown === null) deps.limitWrong(request);
    return shown;
  };
  const findToDraw = async (request: Asked): Promise<ShownLink> => {
    const shown = await find(request);
    if (shown === null) throw new PayError('resource_missing', 'There is no payment link at this address.');
    drawings(request, shown.link.id);
    allDrawings(request);
    return shown;
  };
  app.get<BySlug>('/l/:slug', page, async (request, reply) => {
    const shown = await find(request);
    if (shown === null) return await showMissing(deps, reply);
    opens(request, shown.link.id);
    await deps.recordOpen(request.params.slug, request);
    return await show(deps, reply, shown);
  });
  app.get<BySlug & { Params: { ending: string }; Querystring: Static<typeof QrQuery> }>(
    '/l/:slug/qr:ending(^(?:\\.svg|\\.png)*$)',
    { ...page, schema: { hide: true, querystring: QrQuery } },
    async (request, reply) => {
      const { link } = await findToDraw(request);
      if (!request.params.ending.endsWith('.png')) {
        return forAnyPage(reply).type('image/svg+xml').send(deps.drawQr.svg(link.url));
      }
      const png = await deps.drawQr.png(link.url, request.query.size ?? 1024);
      return forAnyPage(reply).type('image/png').send(png);
    },
  );
  app.get<BySlug>('/l/:slug/poster.pdf', page, async (request, reply) => {
    const shown = await findToDraw(request);
    return reply
      .type('application/pdf')
      .header('cache-control', 'no-store')
      .header('x-robots-tag', 'noindex')
      .send(await deps.drawPoster(shown, whenClientLeaves(reply)));
  });
}

/** A code says the same for ever, and may stand in any page. */
function forAnyPage(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'public, max-age=86400')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('x-content-type-options', 'nosniff');
}

async function showMissing(deps: LinkPageDeps, reply: FastifyReply): Promise<FastifyReply> {
  const { missingTitle: title, missingText: text } = await stringsFor('link', 'en');
  return sendMissingPage(reply, deps.assets.return.styles, { title, text });
}

/** Gone for those who ask for what it was; a link that is only not there yet, or just now, is not gone. */
const goneStates: ReadonlySet<PublicPaymentLink['state']> = new Set(['used', 'expired']);

async function show(
  deps: LinkPageDeps,
  reply: FastifyReply,
  { link, merchant, now }: ShownLink,
): Promise<FastifyReply> {
  const locale = link.locale ?? merchant.locale;
  const { livemode, state } = link;
  protectPayeePage(reply, { publicUrl: deps.publicUrl(), merchant, livemode }).code(goneStates.has(state) ? 410 : 200);
  const view = {
    ...{ link, merchant, now },
    strings: await pageStrings(locale),
    linkStrings: await stringsFor('link', locale),
    files: [deps.assets.checkout, deps.assets.link],
    elementScript: deps.assets.element,
    brandStyles: brandStylesPath(merchant.branding),
  };
  return sendPage(reply, linkPage(view));
}
