import { html, type Markup } from './page-html.ts';

/**
 * The little Markdown that our own descriptions use: `##` headings, lists with `-`, paragraphs, `**strong**` and
 * `` `code` ``. Everything else is text.
 */
export function markdown(text: string): Markup {
  return html`${text.split(/\n{2,}/).flatMap(block => renderBlock(block.trim()))}`;
}

function renderBlock(block: string): Markup[] {
  const heading = /^## (.+)(?:\n([\s\S]+))?$/.exec(block);
  if (heading) {
    const title = heading[1] ?? '';
    const rest = heading[2] === undefined ? [] : renderBlock(heading[2]);
    return [html`<h3 id="${title.toLowerCase().replace(/\W+/g, '-')}">${title}</h3>`, ...rest];
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
