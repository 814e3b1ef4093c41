import type { RouteDescription } from '../http/openapi/route-description.ts';
import { html, type Markup } from './page-html.ts';

/** The routes by their section of the documentation. */
export function byTag(routes: readonly RouteDescription[]) {
  return Map.groupBy(routes, ({ tag }) => tag);
}

/** The content of a page of the documentation, beside the list of all its pages. */
export function besideContents(routes: readonly RouteDescription[], content: Markup): Markup {
  return html`<div class="docs">
    <nav aria-label="Contents">
      <a href="/">pay-checkout</a>
      <ul>
        <li><a href="/docs#conventions">Conventions</a></li><li><a href="/docs/errors">Errors</a></li>
        <li><a href="/docs/element">Element</a></li>
      </ul>
      ${[...byTag(routes)].map(
        ([tag, operations]) => html`<h2><a href="/docs#${slug(tag)}">${tag}</a></h2>
          <ul>
            ${operations.map(operation => html`<li><a href="/docs#${anchorOf(operation)}">${operation.summary}</a></li>`)}
          </ul>`,
      )}
    </nav>
    <main>
      ${content}
    </main>
  </div>`;
}

/** The text as the id of a heading. */
export function slug(text: string): string {
  return text.toLowerCase().replace(/\W+/g, '-');
}

/** `POST /v1/payments/:id/confirm` is `post-payments-id-confirm`. */
export function anchorOf({ method, url }: RouteDescription): string {
  return slug(method + url.slice('/v1'.length));
}

/** Renders the Markdown of our descriptions: `##` headings, `-` lists, paragraphs, `**strong**` and `` `code` ``. */
export function markdown(text: string): Markup {
  return html`${text.split(/\n{2,}/).flatMap(block => renderBlock(block.trim()))}`;
}

function renderBlock(block: string): Markup[] {
  const heading = /^## (.+)(?:\n([\s\S]+))?$/.exec(block);
  if (heading) {
    const title = heading[1] ?? '';
    const rest = heading[2] === undefined ? [] : renderBlock(heading[2]);
    return [html`<h3 id="${slug(title)}">${title}</h3>`, ...rest];
  }
  if (block.startsWith('- ')) {
    return [html`<ul>${block.split(/\n- /).map(item => html`<li>${inline(item.replace(/^- /, ''))}</li>`)}</ul>`];
  }
  return block === '' ? [] : [html`<p>${inline(block)}</p>`];
}

function inline(text: string): Markup[] {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map(part => {
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    return html`${part.replace(/\s*\n\s*/g, ' ')}`;
  });
}
