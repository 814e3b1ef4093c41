import { lengthClass } from '../../../core/locale/length-class.ts';

/** Markup that is safe to send: made by `html` only. */
export interface Markup {
  readonly markup: string;
}

/** What may stand in a template: text is escaped, markup is not, nothing stays nothing. */
export type Insert = string | number | Markup | readonly Insert[] | null | undefined | false;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text as it may stand between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? '');
}

/** A piece of a page, without indentation. Every inserted text is escaped; attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Markup {
  const pieces = unindented(parts);
  let markup = pieces[0] ?? '';
  for (const [index, insert] of inserts.entries()) markup += render(insert) + (pieces[index + 1] ?? '');
  return { markup };
}

/** A template is one object for the whole life of its program. */
const known = new WeakMap<TemplateStringsArray, readonly string[]>();

function unindented(parts: TemplateStringsArray): readonly string[] {
  const done = known.get(parts) ?? parts.map(part => part.replace(/\n\s*/g, '\n'));
  known.set(parts, done);
  return done;
}

function render(insert: Insert): string {
  if (insert === null || insert === undefined || insert === false) return '';
  if (typeof insert === 'string') return escapeHtml(insert);
  if (typeof insert === 'number') return String(insert);
  if (Array.isArray(insert)) return insert.map(render).join('');
  return (insert as Markup).markup;
}

/** A sum at the end of a row. */
export function figure(amount: string): Markup {
  return html`<bdi class="figure ${lengthClass(amount)}">${amount}</bdi>`;
}
