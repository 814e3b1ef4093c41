import { fill } from '../../core/locale/locale.ts';
import { stringsFor } from '../../core/locale/string-tables.ts';
import { drawPoster, type PosterOrder } from '../documents/documents.ts';
import type { OpenedLink } from './link-page.service.ts';

/** A description this short is what the poster says in large letters; a longer one stands below. */
const longestTitle = 60;

/** A link as a page to print and put up, PDF. */
export async function drawLinkPoster({ link, merchant }: OpenedLink, signal: AbortSignal): Promise<Buffer> {
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
