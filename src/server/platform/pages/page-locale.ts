import type { FastifyReply, FastifyRequest } from 'fastify';
import { direction, isLocale, languageOf, languages } from '../../../core/locale/locale.ts';
import { html, type Markup } from './page-html.ts';

/** The name of the cookie with the language that the visitor chose. It ends with the browser's session. */
const cookieName = 'pay-locale';

type Asked = Pick<FastifyRequest, 'headers' | 'query' | 'protocol'>;

/** The product's language with this exact code, or undefined. */
const known = (code: unknown) => languages.find(language => language === code);

/**
 * The locale of a hosted page. Takes the first that exists: the visitor's choice, the object's own locale, the
 * browser's preferred language of the product, the merchant's locale. Stores a choice made by `?locale=` in a cookie.
 */
export function pageLocale(
  request: Asked,
  reply: FastifyReply,
  { own, merchant }: { readonly own: string | null; readonly merchant: string },
): string {
  const asked = known((request.query as { locale?: unknown }).locale);
  if (asked) {
    const secure = request.protocol === 'https' ? '; Secure' : '';
    reply.header('set-cookie', `${cookieName}=${asked}; Path=/; HttpOnly; SameSite=Lax${secure}`);
  }
  const [, kept] = new RegExp(`(?:^|; )${cookieName}=(\\w+)`).exec(request.headers.cookie ?? '') ?? [];
  return asked ?? known(kept) ?? own ?? browserLocale(request) ?? merchant;
}

/** The locale of a page that belongs to no object, such as the page for a wrong address. */
export const visitorLocale = (request: Asked, reply: FastifyReply): string =>
  pageLocale(request, reply, { own: null, merchant: 'en' });

/** The locale that the browser prefers among the product's languages (RFC 9110 §12.5.4), or undefined. */
function browserLocale({ headers }: Asked): string | undefined {
  const ranges = (headers['accept-language'] ?? '').slice(0, 200).split(',');
  const wishes = ranges.map(range => {
    const [tag = '', quality] = range.trim().split(/;\s*q=/);
    return { tag, weight: quality === undefined ? 1 : Number(quality) };
  });
  const isSpoken = (tag: string) => isLocale(tag) && languageOf(tag) === tag.split('-')[0]?.toLowerCase();
  return wishes.sort((one, other) => other.weight - one.weight).find(({ tag, weight }) => weight > 0 && isSpoken(tag))
    ?.tag;
}

/** Links to the page in each language, under the language's own name. `kept`: a parameter that the links repeat. */
export function languageSwitcher(locale: string, label: string, kept = ''): Markup {
  const links = languages.map(code => {
    const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
    const query = `?${kept && `${kept}&`}locale=${code}`;
    return html`<li><a href="${query}" lang="${code}" hreflang="${code}" dir="${direction(code)}" ${code === languageOf(locale) && html`aria-current="true"`}>${name}</a></li>`;
  });
  return html`<nav class="languages" aria-label="${label}"><ul>${links}</ul></nav>`;
}
