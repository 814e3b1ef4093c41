import { html, type Insert, type Markup } from './page-html.ts';
import type { PageLanguage } from './page-strings.ts';

/** A whole page. */
export interface PageContent {
  readonly language: PageLanguage;
  readonly title: string;
  /** Address of the page's icon; null for the service's own. */
  readonly icon?: string | null;
  /** Paths of style sheets. */
  readonly styles: readonly string[];
  readonly scripts?: Insert;
  readonly body: Markup;
}

/** The document round a page's content. Nothing in it is inline: scripts and styles are files. */
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

/** A page that says one thing: a title, a sentence. */
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
