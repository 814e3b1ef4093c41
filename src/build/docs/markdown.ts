import MarkdownIt, { type Token } from 'markdown-it';
import { slugOf } from '../../api/openapi/slug.ts';
import { escapeHtml } from '../../core/escape-html.ts';
import type { Highlight } from './highlight.ts';

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A page in HTML, with the data that the contents and the search need. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** All text without Markdown marks. */
  readonly text: string;
}

/** Renders the Markdown of a page. */
export type Render = (markdown: string) => Rendered;

/**
 * Renders Markdown. Headings get anchors, tables a frame that scrolls, code blocks colours. `isServed` says whether a
 * path exists: inline code that is such a path becomes a link.
 *
 * Words after the language of a block are options: `tab=curl` joins neighbours to tabs, `try` offers to run the call,
 * and a path of the repository (`demo/guides/take-a-payment.ts`) becomes the caption.
 */
export function createRender(highlight: Highlight, isServed: (path: string) => boolean): Render {
  const renderer = new MarkdownIt({ html: false, linkify: false, typographer: false });
  renderer.renderer.rules.fence = (tokens, index) => codeBlock(tokens, index, highlight);
  renderer.renderer.rules.code_block = renderer.renderer.rules.fence;
  renderer.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
  renderer.renderer.rules.table_close = () => '</table></div>';
  renderer.renderer.rules.code_inline = (tokens, index) => {
    const text = tokens[index]?.content ?? '';
    const code = `<code>${escapeHtml(text)}</code>`;
    return isServed(text) && !isInLink(tokens, index) ? `<a href="${escapeHtml(text)}">${code}</a>` : code;
  };
  return markdown => {
    const tokens = renderer.parse(markdown.replace(/<!--[\s\S]*?-->\n?/g, ''), {});
    const headings = nameHeadings(tokens);
    labelCells(tokens);
    return { html: renderer.renderer.render(tokens, renderer.options, {}), headings, text: textOf(tokens) };
  };
}

function isInLink(tokens: readonly Token[], index: number): boolean {
  const before = tokens.slice(0, index);
  return (
    before.filter(({ type }) => type === 'link_open').length > before.filter(({ type }) => type === 'link_close').length
  );
}

/** Gives each heading below the title an id and a link to itself. */
function nameHeadings(tokens: Token[]): Heading[] {
  const headings: Heading[] = [];
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type !== 'heading_open' || token.tag === 'h1' || !inline) continue;
    const text = textOf([inline]);
    const known = headings.filter(({ id }) => id.replace(/-\d+$/, '') === slugOf(text)).length;
    const id = known === 0 ? slugOf(text) : `${slugOf(text)}-${known + 1}`;
    token.attrSet('id', id);
    const level = Number(token.tag.slice(1));
    headings.push({ level, id, text });
    const [open, name, close] = new MarkdownIt().parseInline(`[#](#${id})`, {})[0]?.children ?? [];
    if (!open || !name || !close) continue;
    open.attrSet('class', 'anchor');
    open.attrSet('aria-label', `Link to “${text}”`);
    inline.children?.push(open, name, close);
  }
  return headings;
}

/** Adds the column's name to each cell after the first, because a phone shows the name before the cell. */
function labelCells(tokens: readonly Token[]): void {
  let columns: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    const text = textOf(tokens.slice(index + 1, index + 2));
    if (token.type === 'table_open') columns = [];
    if (token.type === 'tr_open') column = 0;
    if (token.type === 'th_open') columns.push(text);
    if (token.type !== 'td_open') continue;
    if (column > 0 && columns[column]) token.attrSet('data-label', columns[column] ?? '');
    if (text === '') token.attrSet('class', 'empty');
    column += 1;
  }
}

function textOf(tokens: readonly Token[]): string {
  const texts = tokens.map(({ children, content, type }) => {
    if (children !== null) return textOf(children);
    return type === 'softbreak' || type === 'hardbreak' ? ' ' : content;
  });
  return texts.filter(text => text !== '').join(tokens.some(({ type }) => type === 'inline') ? ' ' : '');
}

/** A code block. Consecutive blocks with a `tab` option become one group. */
function codeBlock(tokens: readonly Token[], index: number, highlight: Highlight): string {
  const token = tokens[index];
  const { language, tab, file, tries } = optionsOf(token);
  const code = (token?.content ?? '').replace(/\n$/, '');
  const name = tab ?? file ?? languageNames[language];
  const label = `${name === undefined ? 'Code' : `Code: ${name}`}`;
  const figure = [
    `<figure class="code"${tab === undefined ? '' : ` data-tab="${escapeHtml(tab)}"`}${tries ? ' data-try' : ''}>`,
    name === undefined ? '' : `<figcaption>${escapeHtml(name)}</figcaption>`,
    `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlight(code, language)}</code></pre></figure>\n`,
  ].join('');
  if (tab === undefined) return figure;
  const isTab = (other: Token | undefined) => optionsOf(other).tab !== undefined;
  return `${isTab(tokens[index - 1]) ? '' : '<div class="tabs">'}${figure}${isTab(tokens[index + 1]) ? '' : '</div>\n'}`;
}

const languageNames: Readonly<Record<string, string>> = { csv: 'CSV', sql: 'SQL', json: 'JSON', http: 'HTTP' };

/** The options in a block's first line. */
function optionsOf(token: Token | undefined) {
  const [language = '', ...words] = token?.type === 'fence' ? token.info.trim().split(/\s+/) : [];
  const tab = words.find(word => word.startsWith('tab='))?.slice('tab='.length);
  return {
    language,
    tab,
    tries: words.includes('try'),
    file: words.find(word => /^[\w.-]+(\/[\w.-]+)*\.\w+$/.test(word)),
  };
}
