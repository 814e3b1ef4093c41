import type { FastifyRequest } from 'fastify';
import type { PublicPaymentLink } from '../../api/link.ts';
import { idOf } from '../../core/id.ts';
import { fill } from '../../core/locale/locale.ts';
import { stringsFor } from '../../core/locale/string-tables.ts';
import { drawPoster, type PosterOrder, qrPng, qrSvg } from '../documents/documents.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { type Merchant, merchantNow } from '../platform/merchant.ts';
import { readLink } from './link.service.ts';
import { findLink, findLinkMerchant } from './link.store.ts';
import type { LinkRow } from './link.ts';
import { linkToPublic } from './link.view.ts';
import { choicesOf } from './link-pay.service.ts';
import { recordOpen } from './link-visit.service.ts';

/** A link that somebody opened by its address. */
export interface OpenedLink {
  readonly link: PublicPaymentLink;
  readonly merchant: Merchant;
  /** The merchant's clock. */
  readonly now: Date;
}

/** What the pages of links are given of this module. */
export function createLinkPages(deps: PaymentDeps) {
  return {
    findLink: (slug: string) => findLinkBySlug(deps, slug),
    recordOpen: (slug: string, request: FastifyRequest) => recordPageOpen(deps, slug, request),
    drawQr: { svg: qrSvg, png: qrPng },
    drawPoster: drawLinkPoster,
  };
}

/** The link with the address `/l/<slug>`, or null when there is none. */
async function findLinkBySlug(deps: PaymentDeps, slug: string): Promise<OpenedLink | null> {
  const found = await lookUp(deps, slug);
  if (found === null) return null;
  const { merchant, now } = found;
  const row = await readLink(deps, { merchant, livemode: found.row.livemode, now }, found.row.id);
  const link = linkToPublic(deps, { link: row, merchant, choices: await choicesOf(deps, row), now });
  return { link, merchant, now };
}

/** Notes that a person has opened the link's page. */
async function recordPageOpen(deps: PaymentDeps, slug: string, request: FastifyRequest): Promise<void> {
  const found = await lookUp(deps, slug);
  if (found !== null) await recordOpen(deps, found.row, request, found.now);
}

interface Found {
  readonly row: LinkRow;
  readonly merchant: Merchant;
  readonly now: Date;
}

async function lookUp(deps: PaymentDeps, slug: string): Promise<Found | null> {
  const linkId = idOf('paymentLink', slug);
  const merchantId = /^[0-9A-Za-z]{22}$/.test(slug) ? await findLinkMerchant(deps.db, linkId) : null;
  if (merchantId === null) return null;
  const [row, merchant] = await Promise.all([findLink(deps.db, { merchantId, linkId }), deps.findMerchant(merchantId)]);
  if (row === null) return null;
  return { row, merchant, now: merchantNow(merchant, row.livemode, deps.clock.now()) };
}

/** A description this short is what the poster says in large letters; a longer one stands below. */
const longestTitle = 60;

/** A link as a page to print and put up, PDF. */
async function drawLinkPoster({ link, merchant }: OpenedLink, signal: AbortSignal): Promise<Buffer> {
  const { branding, name } = merchant;
  const { amount, currency, choices, description, livemode, url } = link;
  const locale = link.locale ?? merchant.locale;
  const isShort = description !== null && description.length <= longestTitle;
  const { title } = await stringsFor('link', locale);
  const poster: PosterOrder = {
    ...{ name, locale, url, livemode, logo: logoOf(branding.logo), primaryColor: branding.primary_color },
    title: isShort ? description : fill(title, { merchant: name }),
    text: isShort ? null : description,
    amount: amount === null || choices.length > 0 ? null : { value: BigInt(amount), currency },
  };
  return await drawPoster(poster, { rank: 'public', signal });
}

/** The picture where the account keeps it itself: nothing is fetched to draw a poster. */
function logoOf(logo: string | null): Buffer | null {
  const base64 = logo?.match(/^data:image\/[\w+.-]+;base64,(.+)$/)?.[1];
  return base64 === undefined ? null : Buffer.from(base64, 'base64');
}
