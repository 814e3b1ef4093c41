import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { direction, type Language, languageOf } from '../../../core/locale/locale.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { html, type Insert, type Markup } from './page-html.ts';

export interface PageContent {
  readonly language: PageLanguage;
  readonly title: string;
  /** URL of the page's icon. Null: the service's own icon. */
  readonly icon?: string | null;
  readonly styles: readonly string[];
  readonly scripts?: Insert;
  readonly body: Markup;
}

/** The HTML document of a page. Scripts and styles are always files, never inline. */
export function pageDocument({ language, title, icon, styles, scripts, body }: PageContent): Markup {
  return html`<!doctype html>
    <html lang="${language.code}" dir="${language.dir}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title}</title>
        <link rel="icon" href="${icon ?? '/favicon.svg'}">
        ${styles.map(file => html`<link rel="stylesheet" href="${file}">`)} ${scripts}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

/** A page that has only a title and one sentence. */
export function noticePage(
  language: PageLanguage,
  styles: readonly string[],
  notice: { readonly title: string; readonly text: string; readonly script?: string },
): Markup {
  return pageDocument({
    language,
    title: notice.title,
    styles,
    scripts: notice.script && html`<script type="module" src="${notice.script}"></script>`,
    body: html`<main class="notice"><h1>${notice.title}</h1><p>${notice.text}</p></main>`,
  });
}

const brotli = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};

/**
 * Sends a page compressed. Its size reveals no secret (BREACH attack): only the refund page repeats text of the
 * request, and the URL of that page is itself secret.
 */
export function sendPage(reply: FastifyReply, page: Markup): FastifyReply {
  const accepted = String(reply.request.headers['accept-encoding'] ?? '');
  reply.header('vary', 'accept-encoding');
  if (/\bbr\b(?!;q=0)/.test(accepted))
    return reply.header('content-encoding', 'br').send(brotliCompressSync(page.markup, brotli));
  if (/\bgzip\b(?!;q=0)/.test(accepted)) return reply.header('content-encoding', 'gzip').send(gzipSync(page.markup));
  return reply.send(page.markup);
}

/** All sentences of the hosted checkout and of the service's notices. */
export type PageStrings = StringTables['checkout-page'];

/** The language of a page: its code and its direction. */
interface PageLanguage {
  readonly code: Language;
  readonly dir: 'ltr' | 'rtl';
}

/** The pages' language for a BCP 47 tag. English for languages that the pages do not have. */
export function pageLanguage(locale: string): PageLanguage {
  return { code: languageOf(locale), dir: direction(locale) };
}

/** The sentences of the hosted checkout and of the notices in the language of `locale`. */
export const pageStrings = (locale: string): Promise<PageStrings> => stringsFor('checkout-page', locale);
