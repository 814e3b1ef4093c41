import { html, type Markup } from '../../server/platform/pages/page-html.ts';
import type { Heading, Rendered } from './markdown.ts';
import { type DocPage, pathOf } from './page.ts';

/** Addresses of the files that every page loads. */
export interface Assets {
  readonly style: string;
  /** A script that runs before the page is drawn. It sets the colours that the visitor chose. */
  readonly theme: string;
  readonly script: string;
  /** The documents of the search. They are loaded at its first use. */
  readonly search: string;
}

/** The whole HTML document of a page. */
export function pageShell(
  page: DocPage,
  { html: content, headings }: Rendered,
  pages: readonly DocPage[],
  assets: Assets,
) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="${page.description}">
        <title>${page.slug === '' ? 'pay-checkout documentation' : `${page.title} · pay-checkout`}</title>
        <link rel="icon" href="/favicon.svg">
        <link rel="alternate" type="text/markdown" href="${markdownPath(page)}">
        <link rel="stylesheet" href="${assets.style}">
        <script src="${assets.theme}"></script>
        <script type="module" src="${assets.script}"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${top(assets)}
        <div class="frame">
          <nav id="contents" class="contents" popover aria-label="Contents">${contents(page, pages)}</nav>
          <main id="content" tabindex="-1">
            <p class="crumb">${page.section}</p>
            <article>${{ markup: content }}</article>
            ${neighbours(page, pages)}
          </main>
          ${onThisPage(headings)}
        </div>
      </body>
    </html>`.markup;
}

/** The address of a page's Markdown. */
export const markdownPath = ({ slug }: Pick<DocPage, 'slug'>): string => `/docs/${slug === '' ? 'index' : slug}.md`;

const top = ({ search }: Assets) => html`<header class="top">
  <button class="menu" type="button" popovertarget="contents">Contents</button>
  <a class="brand" href="/docs" aria-label="pay-checkout documentation"><img src="/favicon.svg" alt="" width="24" height="24"><span>pay-checkout</span></a>
  <button id="search" type="button" aria-haspopup="dialog" data-documents="${search}" hidden>Search <kbd>/</kbd></button>
  <button id="theme" type="button" hidden>Dark</button>
</header>`;

/** The contents: all sections with their pages. Under the current page or its parent, also the pages below it. */
function contents(page: DocPage, pages: readonly DocPage[]): Markup[] {
  const sections = Map.groupBy(
    pages.filter(({ unlisted, parent }) => unlisted !== true && parent === undefined),
    ({ section }) => section,
  );
  return [...sections].map(
    ([section, listed]) => html`<h2>${section}</h2>
      <ul>${listed.map(entry => html`<li>${link(entry, page)}${below(entry, page, pages)}</li>`)}</ul>`,
  );
}

function below(entry: DocPage, page: DocPage, pages: readonly DocPage[]): Markup | false {
  const children = pages.filter(({ parent, unlisted }) => parent === entry.slug && unlisted !== true);
  if (children.length === 0 || (page.slug !== entry.slug && page.parent !== entry.slug)) return false;
  return html`<ul>${children.map(child => html`<li>${link(child, page)}</li>`)}</ul>`;
}

function link({ slug, title }: DocPage, page: DocPage): Markup {
  return html`<a href="${pathOf(slug)}"${slug === page.slug && html` aria-current="page"`}>${title}</a>`;
}

function onThisPage(headings: readonly Heading[]): Markup | false {
  const listed = headings.filter(({ level }) => level <= 3);
  if (listed.length < 2) return false;
  return html`<aside><nav aria-label="On this page"><h2>On this page</h2>
    <ul>${listed.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>`)}</ul></nav></aside>`;
}

/** Links to the previous and the next page, in the order of the contents. */
function neighbours(page: DocPage, pages: readonly DocPage[]): Markup | false {
  const order = pages.filter(({ unlisted }) => unlisted !== true);
  const index = order.indexOf(page);
  if (index < 0) return false;
  const [previous, next] = [order[index - 1], order[index + 1]];
  return html`<nav class="neighbours" aria-label="Previous and next page">
    ${previous && html`<a rel="prev" href="${pathOf(previous.slug)}"><span>Previous</span> ${previous.title}</a>`}
    ${next && html`<a rel="next" href="${pathOf(next.slug)}"><span>Next</span> ${next.title}</a>`}
  </nav>`;
}
